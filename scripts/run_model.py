#!/usr/bin/env python3
"""Runs exported models through ckpt-run and compares with their references: the
command line of python/ckpt/models.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from ckpt.models import main  # noqa: E402

if __name__ == "__main__":
    main()
