"""What a GPU is to us."""
