"""LDS: which threads of a block meet there, and who stored what a thread reads."""
