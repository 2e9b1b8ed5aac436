"""What is refused when a layout is built."""


class LayoutError(ValueError):
    """A transform, adaptor or descriptor that makes no sense; the message says which part and why."""
