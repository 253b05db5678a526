"""NumPy files with the standard library alone, for scripts that must run where
NumPy is not installed."""

import array
import ast
import pathlib
import struct
import sys

# NumPy's dtype without the byte order, and the array module's type code.
CODES = {
    "f4": "f", "f8": "d", "i1": "b", "u1": "B", "b1": "B", "i2": "h", "u2": "H",
    "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
}


def read_npy(path: pathlib.Path) -> tuple[str, tuple[int, ...], array.array]:
    """The dtype ("f4", "u2", ...), the shape and the elements in C order."""
    data = path.read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path}: not a NumPy file")
    wide = data[6] > 1
    length = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    start = 12 if wide else 10
    header = ast.literal_eval(data[start : start + length].decode("latin1"))
    dtype = header["descr"].lstrip("<|")
    if header["fortran_order"] or dtype not in CODES | {"f2": "e"}:
        raise ValueError(f"{path}: unsupported layout {header}")
    payload = data[start + length :]
    if dtype == "f2":
        values = struct.unpack(f"<{len(payload) // 2}e", payload)
        return dtype, tuple(header["shape"]), array.array("d", values)
    elements = array.array(CODES[dtype])
    elements.frombytes(payload)
    if sys.byteorder == "big":
        elements.byteswap()
    return dtype, tuple(header["shape"]), elements


def as_floats(elements: array.array, mlir_type: str) -> list[float]:
    """The elements as Python floats; bf16 comes as uint16 bit patterns."""
    if mlir_type == "bf16":
        bits = array.array("I", (e << 16 for e in elements))
        return list(array.array("f", bits.tobytes()))
    return [float(e) for e in elements]
