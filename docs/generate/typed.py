"""Makes the page on which a layout is typed anew: docs/pages/try.html, which opens from disk and from the site."""

from pathlib import Path

from layoutalg.draw.typed import typed_page

PAGE = Path(__file__).parents[1] / "pages" / "try.html"

if __name__ == "__main__":
    PAGE.write_text(typed_page(), encoding="utf-8")
