"""CK Tile C++ as input and output: read without compiling, written so that it reads back."""

from layoutalg.formats.ck_cpp.reader import load, loads
from layoutalg.formats.ck_cpp.write import to_ck

__all__ = ["load", "loads", "to_ck"]
