"""Strategies: each decides some obligations, or gives up."""
