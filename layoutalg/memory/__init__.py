"""Banks, sectors and coalescing, and the claims on accesses."""
