"""Bytes to instructions, basic blocks and listings."""
