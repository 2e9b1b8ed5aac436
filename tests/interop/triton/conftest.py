"""The scripts here are read by Triton, which the tests do without."""

collect_ignore = ["product.py"]
