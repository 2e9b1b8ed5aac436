"""What reads and moves an explorer's page."""

from __future__ import annotations


def reading(tab) -> dict[str, str]:
    names = ("index", "offset", "byte", "dword", "bank", "lane", "phase")
    return {name: tab.locator(f"#r-{name}").text_content() for name in names}


def shown(number: int | None) -> str:
    """A number as the page has it, a dash where there is none."""
    return "–" if number is None else str(number)


def hover(tab, panel: str, n: int) -> None:
    """The pointer onto cell n of a panel."""
    x, y, w, h = tab.evaluate(f"() => views.{panel}.box({n}, 0)")
    tab.locator(f"#{panel} canvas").first.hover(position={"x": x + w / 2, "y": y + h / 2})
