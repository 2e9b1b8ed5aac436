"""What comes out of a kernel, held against the equations of its launch."""
