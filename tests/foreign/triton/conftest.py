"""The scripts here are read by Triton, which the tests do without."""

collect_ignore = ["boxes/make.py", "kernels.py", "make.py"]
