"""Sums: what lanes, iterations and the matrix core add up, and in what order."""
