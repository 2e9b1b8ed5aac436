"""The worked examples of CK Tile's documentation: each item of proofs/examples with what was claimed and decided."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from layoutalg.formats import DescriptorItem, Refusal, SpecFile, load
from layoutalg.formats.check import Result, check

Page = tuple[str, str, str]

INTRODUCTION = """# Worked examples of CK Tile's documentation

CK Tile's documentation and AMD's GPU programming guide work out many examples by hand. All of them are kept here as
files that are proved with every change, in `proofs/examples/`. What the documentation has right is claimed; what it
has wrong is claimed as well and expected to be **refuted**, with the right answer beside it.

## Errata

{errata}
## Files

| file | items | claims | refuted or refused as expected |
|---|---|---|---|
{files}
"""


def pages(root: Path) -> list[Page]:
    """An overview with the errata, then a page for each file."""
    folder = root / "proofs" / "examples"
    decided = [(path, load(path)) for path in sorted(folder.glob("*.toml"))]
    results = {path: list(check(spec)) for path, spec in decided}
    for path, found in results.items():
        if wrong := [r for r in found if not r.passed]:
            raise SystemExit(f"{path}: {wrong[0].item.name}: {wrong[0].claim} is {wrong[0].verdict.name}")
    overview = INTRODUCTION.format(errata=_errata(results), files="\n".join(_row(p, s, results[p]) for p, s in decided))
    each = [(_title(spec), f"examples/{path.stem}.md", _page(path, spec, results[path])) for path, spec in decided]
    return [("Overview and errata", "examples/index.md", overview), *each]


def _title(spec: SpecFile) -> str:
    words = spec.title.rpartition(":")[2].strip() or spec.path
    return words[0].upper() + words[1:]


ERRATA: Mapping[str, tuple[str, str]] = {
    "strided_3_4": ("Lengths (3, 4), strides (8, 1): the element space is 24.", "20: one more than the last offset."),
    "aligned_4_5_to_8": ("Lengths (4, 5), rows aligned to 8: the element space is 32.", "29: it ends with the data."),
    "column_major": (
        "row_major(1, 2), column_major(2, 1) and transposed(2, 1) are one element.",
        "column_major(2, 1) is element 5; transposed(2, 1) and column_major(0, 2) are 6.",
    ),
    "permute_0_1_2_to_2_0_1": (
        "The call shown permutes [0, 1, 2] to [2, 0, 1].",
        "Top index (0, 1, 2) reads base index (1, 2, 0).",
    ),
    "modulo_is_not_a_product": (
        "Modulo goes forward by idx · cycle_count.",
        "It goes down by idx mod modulus; 3 stays 3.",
    ),
    "four_lanes_taken_for_a_wave": (
        "Hs [2, 2], [2, 2] distributes a 4 × 4 tile.",
        "It has two lanes a P; a wave of 64 leaves the tile. Refused.",
    ),
    "a_factor_owned_twice": (
        "Encodings (RMSNorm, GEMM) in which a P and a Y own one factor.",
        "A factor has one owner. Refused.",
    ),
    "lds_layer_index_always_0": (
        "The index-swapping sample writes layer 0 always.",
        "Then two rows share their words of LDS: not injective.",
    ),
}
"""What the documentation says and what is right, by the item that shows it."""


def _errata(results: Mapping[Path, Sequence[Result]]) -> str:
    """The table; SystemExit where an item of it is not there, or refutes nothing."""
    rows = ["| the documentation | what is right | shown by |", "|---|---|---|"]
    for name, (said, right) in ERRATA.items():
        shown = {p.stem for p, found in results.items() for r in found if _is_erratum(r) and _of(r, name)}
        if len(shown) != 1:
            raise SystemExit(f"proofs/examples: no one item {name} that refutes what the documentation says")
        rows.append(f"| {said} | {right} | [{_words(name)}]({shown.pop()}.md#{_anchor(name)}) |")
    return "\n".join(rows) + "\n"


def _of(r: Result, name: str) -> bool:
    return r.item.name == name or r.item.name.startswith(f"{name} at ")


def _is_erratum(r: Result) -> bool:
    return r.expect == "refuted" or isinstance(r.item, Refusal)


def _row(path: Path, spec: SpecFile, found: list[Result]) -> str:
    expected = sum(_is_erratum(r) for r in found)
    return f"| [{path.name}]({path.stem}.md) | {len(spec.items)} | {len(found)} | {expected} |"


def _page(path: Path, spec: SpecFile, found: list[Result]) -> str:
    text = path.read_text(encoding="utf-8")
    parts = [f"# {_title(spec)}", f"`proofs/examples/{path.name}`: {len(found)} claims, all as expected.", ""]
    blocks = _blocks(text)
    for item in spec.items:
        parts += [f"## {_words(item.name)} {{ #{_anchor(item.name)} }}"]
        parts += [_sentence(item.note)] if item.note else []
        if (block := blocks.get(item.name)) is not None:
            parts += [f"```toml\n{block}\n```"]
        if isinstance(item, DescriptorItem):
            parts += [f"`offset = {item.descriptor.offset(item.descriptor.index)}`"]
        own = [r for r in found if _of(r, item.name)]
        parts += ["\n".join(["| claim | verdict | by |", "|---|---|---|", *map(_result, own)])]
    return "\n\n".join(parts)


def _result(r: Result) -> str:
    what = r.claim if r.claim not in ("holds", "refused") else r.item.name.replace("_", " ")
    expected = " as expected" if _is_erratum(r) and r.verdict.name != "proved" else ""
    why = r.verdict.reason or (r.verdict.claim if isinstance(r.item, Refusal) else "")
    verdict = f"**{r.verdict.name}**{expected}" + (f": {why}" if why else "")
    return f"| {_cell(what)} | {_cell(verdict)} | {_cell(r.verdict.strategy)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _blocks(text: str) -> dict[str, str]:
    """The source of each item, by name."""
    found = {}
    for block in re.split(r"^(?=\[\[)", text, flags=re.MULTILINE)[1:]:
        if (name := re.search(r'^name = "([^"]+)"', block, re.MULTILINE)) is not None:
            found[name[1]] = block.strip()
    return found


def _words(name: str) -> str:
    return name.replace("_", " ")


def _anchor(name: str) -> str:
    return name.replace("_", "-").lower()


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) or not text else f"{text}."
