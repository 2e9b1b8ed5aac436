"""What a picture cannot show."""


class DrawError(ValueError):
    """A drawing that was refused: what was asked, what is missing and what would do."""
