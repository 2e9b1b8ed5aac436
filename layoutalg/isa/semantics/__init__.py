"""What each instruction does: tables, over any kind of value."""
