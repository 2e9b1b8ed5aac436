"""Layouts as one index map, read in many ways: proved, evaluated, drawn and emitted from the same expression."""
