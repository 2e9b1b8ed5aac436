"""The recipes of CONTRIBUTING are followed by tests: what the page shows stands, to the letter, in a file that runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SHOWN = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)


def test_every_recipe_shows_what_a_test_runs() -> None:
    recipes = re.findall(r"^### (.*?)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert [name for name, text in recipes if "title=" not in text and "](" not in text] == []


@pytest.mark.parametrize(("file", "code"), SHOWN, ids=[f"{n}-{file}" for n, (file, _) in enumerate(SHOWN)])
def test_what_a_recipe_shows_is_in_the_file_that_follows_it(file: str, code: str) -> None:
    assert code.strip() in (ROOT / file).read_text(encoding="utf-8")


def test_every_path_and_target_of_make_that_it_names_is_there() -> None:
    linked, named = re.findall(r"\]\(([^)#:]+)\)", PAGE), re.findall(r"`((?:tests|proofs|layoutalg)/[a-z_/.]+)`", PAGE)
    for path in (*linked, *named):
        assert (ROOT / path).exists(), path
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make ([\w-]+)", PAGE, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
