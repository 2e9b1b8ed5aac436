"""What was found in files, in the forms that other tools read: SARIF, JUnit's XML, GitHub's annotations.

| form   | for                                     | has                                                    |
|--------|-----------------------------------------|--------------------------------------------------------|
| sarif  | code scanning, editors (SARIF 2.1.0)    | what is not as expected, at file, line and column      |
| junit  | the test pages of CI servers            | a case for each claim, with its time                   |
| github | a workflow's log, and the diff it is of | an annotation for each claim that is not as expected   |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from layoutalg import __version__
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg.formats import claims
    from layoutalg.hazards import analyses

OTHERS: Mapping[str, str] = {
    "read": "the file can be read",
    "same_map": "two versions of a layout are the same map",
    "hazards": "no hazard is in the kernel's code",
    "analysed": "the kernel's code is analysed to the end",
    "example": "an offset is what the file's example says",
}
"""What is reported and is no claim of a file, and no kind of hazard."""


@dataclass(frozen=True)
class Report:
    """One claim, or one thing that is wrong with a file: `verdict` is then `error`, and nothing was decided."""

    file: str
    name: str
    rule: str
    verdict: str
    passed: bool
    message: str = ""
    line: int = 1
    column: int = 1
    seconds: float = 0.0


def sarif(reports: Sequence[Report]) -> str:
    """One run of the tool, a result for each report that did not pass.

    >>> found = json.loads(sarif([Report("a.toml", "tile", "injective", "refuted", False, "they meet", 3)]))
    >>> found["version"], found["runs"][0]["results"][0]["level"]
    ('2.1.0', 'error')
    """
    rules = sorted({_rule(r) for r in reports})
    failed = [r for r in reports if not r.passed]
    driver = {
        "name": "layoutalg",
        "version": __version__,
        "rules": [_described(rule) for rule in rules],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "results": [_result(r, rules.index(_rule(r))) for r in failed],
                "columnKind": "unicodeCodePoints",
            }
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _rule(r: Report) -> str:
    """The claim without its arguments: tools keep what they know by it."""
    return r.rule.partition("(")[0]


def _described(rule: str) -> dict[str, Any]:
    """A rule, what it says, and how its message is to be read."""
    if rule in claims.CLAIMS:
        words = claims.CLAIMS[rule].words
    else:
        words = analyses.ANALYSES[rule].about if rule in analyses.ANALYSES else OTHERS.get(rule, rule)
    help = f"{words}. The message has a witness: the sizes, indices or instructions at which it is not so."
    return {"id": rule, "shortDescription": {"text": words}, "help": {"text": help}}


def _result(r: Report, rule: int) -> dict[str, Any]:
    region = {"startLine": r.line, "startColumn": r.column}
    place = {"artifactLocation": {"uri": _uri(r.file)}, "region": region}
    return {
        "ruleId": _rule(r),
        "ruleIndex": rule,
        "level": "warning" if r.verdict == "unknown" else "error",
        "message": {"text": text(r)},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """A path as a URI reference (RFC 3986).

    >>> _uri("my layouts/a.toml"), _uri("/a/b.toml")
    ('my%20layouts/a.toml', 'file:///a/b.toml')
    """
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def junit(reports: Sequence[Report]) -> str:
    """A suite for each file, a case for each report.

    >>> junit([Report("a.toml", "tile", "injective", "proved", True)]).splitlines()[2]
    ' <testsuite name="a.toml" tests="1" failures="0" errors="0">'
    """
    root = ElementTree.Element("testsuites", name="layoutalg")
    for file in dict.fromkeys(r.file for r in reports):
        mine = [r for r in reports if r.file == file]
        wrong = [r for r in mine if not r.passed]
        errors = sum(r.verdict == "error" for r in wrong)
        counts = {"tests": len(mine), "failures": len(wrong) - errors, "errors": errors}
        keys = {"name": file, **{what: str(n) for what, n in counts.items()}}
        suite = ElementTree.SubElement(root, "testsuite", keys)
        for r in mine:
            case = {"classname": file, "name": f"{r.name}: {r.rule}", "time": f"{r.seconds:.6f}"}
            element = ElementTree.SubElement(suite, "testcase", case)
            if not r.passed:
                kind = "error" if r.verdict == "error" else "failure"
                ElementTree.SubElement(element, kind, message=r.verdict).text = f"{r.file}:{r.line}: {text(r)}"
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def github(reports: Sequence[Report]) -> str:
    """A workflow command for each report that did not pass.

    >>> github([Report("a.toml", "tile", "injective", "unknown", False, "50 % done", 3)])
    '::warning file=a.toml,line=3,col=1,title=tile%3A injective::tile: injective: unknown: 50 %25 done'
    """
    lines = []
    for r in reports:
        if not r.passed:
            keys = {"file": r.file, "line": r.line, "col": r.column, "title": f"{r.name}: {r.rule}"}
            told = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in keys.items())
            lines.append(f"::{'warning' if r.verdict == 'unknown' else 'error'} {told}::{_escaped(text(r))}")
    return "\n".join(lines)


def _escaped(text: str, also: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + also else c for c in text)


def text(r: Report) -> str:
    """A report on one line, its place left out.

    >>> text(Report("a.toml", "tile", "injective", "refuted", False, "they meet"))
    'tile: injective: refuted: they meet'
    """
    return ": ".join(part for part in (r.name, r.rule, r.verdict, r.message) if part)


WRITERS: Mapping[str, Callable[[Sequence[Report]], str]] = {"sarif": sarif, "junit": junit, "github": github}
