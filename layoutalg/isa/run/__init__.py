"""Machine code carried out in numpy, every wave of many blocks at once."""
