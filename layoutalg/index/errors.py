"""Errors that expressions raise."""


class InexpressibleError(ValueError):
    """A map that some of its sizes leave without a meaning: a divisor that may be 0, a table that is too short."""
