"""Symbolic execution: one lane of one wave of one block, all of them unknown."""
