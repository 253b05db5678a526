"""Running `ckpt` from Python, with the standard library alone.

    ckpt.npy     NumPy files
    ckpt.models  exported models through ckpt-run, against their references
"""
