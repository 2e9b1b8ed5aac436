"""Bytes to instructions and basic blocks."""
