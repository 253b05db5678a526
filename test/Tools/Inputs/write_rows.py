"""write_rows.py FILE N...: writes the numbers as a NumPy file of int64."""

import struct
import sys

numbers = [int(n) for n in sys.argv[2:]]
header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
header = header.ljust(117) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode("latin1"))
    file.write(struct.pack(f"<{len(numbers)}q", *numbers))
