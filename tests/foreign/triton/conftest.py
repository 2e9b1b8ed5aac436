"""The scripts here are read by Triton, which the tests do without."""

collect_ignore = ["kernels.py", "make.py"]
