"""Sums: what lanes, turns and the matrix core add up, and in what order."""
