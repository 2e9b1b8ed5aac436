"""The documentation: builds without a warning and without the network, and every command and example in it is true."""

import doctest
import fcntl
import inspect
import io
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
import types
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from playwright.sync_api import Browser

import layoutalg
from docs.generate import reference
from layoutalg.cli.app import main
from layoutalg.formats import loads
from layoutalg.formats.grammar import schema_text
from layoutalg.layout.transforms import TRANSFORMS
from tests.composable_kernel import composable_kernel
from tests.matrix import parts, turns
from tests.optional import needed

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "pages").rglob("*.md"))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all of pytest's processes."""
    needed("mkdocs", "docs")
    base = tmp_path_factory.getbasetemp()
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = run / "site"
    with open(run / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _build(folder)
    return folder


def _build(folder: Path) -> None:
    """With warnings as errors."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", "docs/mkdocs.yml", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, env=environment)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


@pytest.mark.slow
def test_the_site_needs_no_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)"', text)
        loaded += re.findall(r'<link[^>]+rel="stylesheet"[^>]+href="(https?:[^"]+)"', text)
        assert loaded == [], page


@pytest.mark.slow
def test_every_lesson_and_example_has_a_page(site: Path) -> None:
    lessons = {p.stem for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert lessons == {p.stem for p in (site / "lessons").glob("*.html")}
    examples = {p.stem for p in (ROOT / "proofs" / "examples").glob("*.toml")}
    assert examples | {"index"} == {p.stem for p in (site / "examples").glob("*.html")}


@pytest.mark.slow
def test_the_reference_shows_examples_as_code(site: Path) -> None:
    text = (site / "reference" / "layoutalg-layout.html").read_text(encoding="utf-8")
    assert "make_naive_tensor_descriptor" in text
    assert '<span class="gp">&gt;&gt;&gt; </span>' in text
    assert "<blockquote>" not in text


@pytest.mark.slow
def test_search_works_from_disk(site: Path, browser: Browser) -> None:
    tab = browser.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((site / "index.html").as_uri())
    tab.fill(".md-search__input", "LDS banks")
    tab.wait_for_selector(".md-search-result__link")
    first = tab.locator(".md-search-result__link").first.get_attribute("href")
    assert first is not None
    assert "lessons/07_lds_banks.html" in first
    assert all(url.startswith("file:") for url in asked)


CUT = """() => [...document.querySelectorAll(".md-content pre")]
  .filter((one) => [one, ...one.querySelectorAll("code")].some((part) => part.scrollWidth > part.clientWidth))
  .map((one) => one.textContent)"""
WRAPPED = """() => [...document.querySelectorAll(".md-content .highlight pre > code")].filter((one) => {
  const [line, above] = ["lineHeight", "paddingTop"].map((name) => parseFloat(getComputedStyle(one)[name]));
  return one.clientHeight > one.textContent.trimEnd().split("\\n").length * line + 2 * above + 1;
}).map((one) => one.textContent)"""
"""What a page shows in part, or in more lines than it has."""


@pytest.mark.parametrize("some", parts(7))
def test_no_code_is_cut_on_a_small_screen_and_none_of_a_lesson_wrapped(
    some: slice, site: Path, browser: Browser
) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900}, java_script_enabled=False)  # which only loads words
    for page in sorted(site.rglob("*.html"))[some]:
        tab.goto(page.as_uri())
        assert tab.evaluate(CUT) == [], page
        assert page.parent.name != "lessons" or tab.evaluate(WRAPPED) == [], page


OF_CK = [ROOT / "docs" / "pages" / "howto" / f"{name}.md" for name in ("sweep-my-configurations", "audit-a-ck-kernel")]


DEAR = (
    "audit-a-kernel", "verify-a-ck-descriptor", "emit-and-build-a-kernel", "find-a-conflict-free-layout",
    "prove-machine-code", "architecture", "mi355x", "layouts-of-others", "recipes",
)  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.stem in DEAR), id=page.stem)
        for page in PAGES
        if page not in OF_CK
    ],
)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _shown(page)


@pytest.mark.parametrize("page", turns(OF_CK, lambda page: page.stem))
def test_what_a_page_on_ck_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles CK's own headers."""
    monkeypatch.chdir(tmp_path)
    Path("composable_kernel").symlink_to(composable_kernel())
    _shown(page)


def _shown(page: Path) -> None:
    names: dict[str, object] = {}
    for kind, title, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if title:
            Path(title).write_text(body, encoding="utf-8")
        elif kind == "pycon":
            _run_examples(body, names, page)
        elif kind == "console":
            for command, expected in COMMAND.findall(body):
                shown = _run_command(command.split())
                assert _pattern(expected).fullmatch(shown), f"{command} shows\n{shown}"


LAUNCH_PAGE = ROOT / "docs" / "pages" / "explanation" / "launch-files.md"


def _rows(heading: str) -> list[list[str]]:
    """The table under a heading of the page on launch files, without its head."""
    table = LAUNCH_PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("##")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def _with(given: Mapping[str, str]) -> str:
    """A launch file in which keys of the launch have these values."""
    arguments = '["x", "index", "o", "rows", "N"]' if "points" in given else '["x", "index", "o", "N"]'
    launch = {"grid": "[1]", "block": "[64]", "arguments": arguments, "writes": '["o"]', **given}
    kinds = {"x": "f32", "index": "i32", "o": "f32", "rows": "u64", "row": "f32"}
    tensors = [
        f'[[descriptor]]\nname = "{name}"\ndtype = "{kind}"\nbase = {{ kind = "packed", lengths = ["N"] }}\n'
        for name, kind in kinds.items()
    ]
    sizes = "symbols = { N = { min = 1, max = 1000 }, V = { min = 1, max = 1000 } }\n"
    return sizes + "".join(tensors) + "[launch]\n" + "".join(f"{key} = {value}\n" for key, value in launch.items())


def test_the_page_on_launch_files_has_every_key_with_an_example_that_loads() -> None:
    schema = json.loads(schema_text())["properties"]["launch"]
    rows = _rows("The keys")
    assert {key.strip("`") for key, _, _ in rows} == set(schema["properties"])
    for key, _, example in rows:
        assert loads(_with({key.strip("`"): example.strip("`")})).launch is not None
    shown = dict(_titled(LAUNCH_PAGE))["launch.toml"]
    assert loads(shown).launch is not None
    assert set(tomllib.loads(shown)["launch"]) == set(schema["properties"])


def test_the_page_on_launch_files_has_every_form_of_an_argument() -> None:
    forms = [form for row in _rows("An argument") for form in re.findall("`([^`]+)`", row[0])]
    for form in forms:
        assert loads(_with({"arguments": f'["x", "index", "o", {form}]'})).launch is not None
    items = json.loads(schema_text())["properties"]["launch"]["properties"]["arguments"]["items"]["anyOf"][1]["anyOf"]
    keys = {frozenset(tomllib.loads(f"v = {form}")["v"]) for form in forms if form.startswith("{")}
    assert all(any(set(one["required"]) <= each for each in keys) for one in items)


def _titled(page: Path) -> list[tuple[str, str]]:
    return [(title, body) for _, title, body in BLOCK.findall(page.read_text(encoding="utf-8")) if title]


def test_the_function_that_torch_calls_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for torch whose tensors are numpy's, on the processor."""

    class Tensor(np.ndarray):
        def contiguous(self) -> "Tensor":
            return np.ascontiguousarray(self).view(Tensor)

        def new_empty(self, shape: tuple[int, ...]) -> "Tensor":
            return np.full(shape, np.nan, self.dtype).view(Tensor)

    class Torch(types.ModuleType):
        cuda = types.SimpleNamespace(current_stream=lambda: types.SimpleNamespace(cuda_stream=0))

    stand_in = Torch("torch")
    stand_in.Tensor = Tensor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    page = ROOT / "docs" / "pages" / "howto" / "call-a-kernel-from-torch.md"
    names: dict[str, Any] = {}
    exec(dict(_titled(page))["transposed.py"].replace('"auto"', '"cpu"'), names)
    x = np.arange(70 * 45, dtype=np.float32).reshape(70, 45)[:, ::-1].view(Tensor)
    assert np.array_equal(names["transposed"](x), x.T)


@pytest.mark.parametrize("room", reference.ROOMS)
def test_every_name_that_the_reference_lists_has_an_example(room: str) -> None:
    listed = reference.listed(room)
    assert listed
    assert [name for name, one in listed.items() if ">>>" not in (one.__doc__ or "")] == []


def test_what_is_imported_flat_has_an_example_and_a_class_is_listed_by_a_room() -> None:
    listed = {id(one) for room in reference.ROOMS for one in reference.listed(room).values()}
    flat = {name: getattr(layoutalg, name) for name in layoutalg.__all__}
    flat = {name: one for name, one in flat.items() if inspect.isclass(one) or inspect.isfunction(one)}
    assert [name for name, one in flat.items() if ">>>" not in (one.__doc__ or "")] == []
    assert [name for name, one in flat.items() if inspect.isclass(one) and id(one) not in listed] == []


def test_the_glossary_has_every_transform() -> None:
    words = re.findall(r"`(\w+)…?`", (ROOT / "docs" / "pages" / "glossary.md").read_text(encoding="utf-8"))
    versions = {name for name in TRANSFORMS if name.startswith("merge_v")}  # `merge_v…`
    assert set(TRANSFORMS) - versions - set(words) == set()


NAMED = [*PAGES, ROOT / "README.md", *ROOT.glob("CONTRIBUTING.md")]


@pytest.mark.parametrize("page", NAMED, ids=lambda p: p.stem)
def test_every_name_of_the_package_that_a_page_says_is_there(page: Path) -> None:
    for name in re.findall(r"`(layoutalg(?:\.\w+)+)`", page.read_text(encoding="utf-8")):
        pkgutil.resolve_name(name)


GIVEN = {"x.npy": np.arange(20 * 12, dtype=np.float32).reshape(20, 12)}
"""The arrays that the README's reader has."""


def test_what_the_readme_shows_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of it succeeds, in its order; what it shows of an output is that output."""
    monkeypatch.chdir(tmp_path)
    for name, array in GIVEN.items():
        np.save(name, array)
    Path("kernels").symlink_to(ROOT / "kernels")
    ran = []
    for kind, title, body in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        if title:
            Path(title).write_text(body, encoding="utf-8")
        elif kind == "python":
            _run_prints(body)
        for command, expected in COMMAND.findall(body) if kind == "console" else ():
            shown = _run_command(shlex.split(command, comments=True), codes=(0,))
            assert not expected or _pattern(expected).fullmatch(shown), f"{command} shows\n{shown}"
            ran.append(command.split()[1])
    layouts, kernels = ["check", "check", "explain", "draw", "synth"], ["compile", "audit"]
    assert ran == [*layouts, *kernels, "run"]
    assert np.array_equal(np.load("y.npy"), GIVEN["x.npy"].T)


def _run_prints(body: str) -> None:
    """A program whose prints say behind them, in a comment, what is printed."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(body, {})
    expected = re.findall(r"^print\(.+\)  # (.+)$", body, re.MULTILINE)
    assert expected
    assert _pattern("".join(f"{line}\n" for line in expected)).fullmatch(out.getvalue()), out.getvalue()


def _run_examples(body: str, names: dict[str, object], page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)


def _run_command(words: list[str], codes: tuple[int, ...] = (0, 1)) -> str:
    """What a command prints; it runs in this process, which is faster."""
    assert words[0] == "layoutalg"
    out, err = io.StringIO(), io.StringIO()
    argv = mock.patch.object(sys, "argv", words)
    with argv, redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code in codes, err.getvalue()
    assert err.getvalue() == ""
    return out.getvalue()


def _pattern(expected: str) -> re.Pattern[str]:
    """What is expected: `…` alone stands for any lines, within a line for any text."""
    lines = ("(?:.*\n)*" if line == "…\n" else re.escape(line).replace("…", ".*") for line in expected.splitlines(True))
    return re.compile("".join(lines))
