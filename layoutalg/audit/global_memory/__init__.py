"""Which threads of a launch meet in memory."""
