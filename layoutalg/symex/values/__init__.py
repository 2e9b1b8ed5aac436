"""What symbolic execution computes with: unknowns, uninterpreted functions, machine words."""
