"""CK Tile C++ as input and output: read without compiling, written so that it reads back."""

from layoutalg.formats.ck_cpp.reader import load, loads

__all__ = ["load", "loads"]
