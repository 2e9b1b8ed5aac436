"""Sums and products over indices, in any order and tree: what a stored word is, over the reals."""
