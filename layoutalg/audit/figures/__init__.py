"""What is known of a kernel without its launch: costs, occupancy, its inner loop, a launch file to fill in."""
