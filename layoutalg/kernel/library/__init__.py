"""The builders of kernels: from sizes and element types to programs."""
