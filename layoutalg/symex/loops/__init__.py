"""All ways through a kernel, loops by their invariants."""
