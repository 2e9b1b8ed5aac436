"""Layouts in the notations of the neighbours, each read as the one index map that everything here works on."""
