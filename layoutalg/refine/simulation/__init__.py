"""Each access of a binary beside the program's."""
