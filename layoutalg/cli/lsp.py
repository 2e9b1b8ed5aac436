"""`lsp`: a language server; an editor that starts it shows what `check`, `audit` and `explain` say of the file at hand.

| when                           | it tells                                                                   |
|--------------------------------|----------------------------------------------------------------------------|
| a spec file is opened or saved | what is not as expected, at its place: errors; what is unknown: a warning  |
| a HIP source, or a launch file | what `audit` does not prove of its kernels, at the lines of the source     |
| beside it, is opened or saved  | (`sources` says which launch files)                                        |
| the pointer is on the name of  | what `explain` says of it: what it does, what holds, where the risk is     |
| a descriptor                   |                                                                            |

A spec file is one called `*.layout.toml`, or other TOML that holds a table of a layout; of any other file nothing
is said, so that an editor may start it for all TOML.  It speaks on the standard streams; claims are decided on one
thread beside, so that the editor is always answered, and only the newest text of each file is.

What it does not: check while one types, layouts of C++ files, completion (the schema gives that).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from layoutalg import __version__
from layoutalg.cli import checked, reports, sources
from layoutalg.cli.errors import is_told
from layoutalg.cli.files import ENDING, Includes, accesses_of, load, refuse_empty
from layoutalg.cli.output import time_limit
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_EXPLAINED

with lazy_imports():
    from lsprotocol import types
    from pygls import workspace
    from pygls.lsp import server as lsp_server

    import layoutalg.explain as explaining
    import layoutalg.prove as prove
    from layoutalg.formats import check as claims

Told = TypeVar("Told")
TABLE = re.compile(r"^\s*\[\[\s*(?:descriptor|adaptor|transform|distribution|lemma)\s*\]\]", re.MULTILINE)
"""A spec file has one of these, whatever its name is."""
NAME = re.compile(r"\"([^\"]*)\"|'([^']*)'")


def lsp(
    include: Includes = None,
    seconds: Annotated[float, time_limit("each claim")] = 10.0,
    target: Annotated[str, typer.Option(help="The GPU that kernels are compiled and audited for.")] = DEFAULT,
    audit_seconds: Annotated[float, time_limit("each audit", least=0.1)] = 30.0,
) -> int:
    """Serve an editor (Language Server Protocol, standard streams): diagnostics of spec files and kernels; hover."""
    serve(Editor(tuple(include or ()), prove.Limits(seconds=seconds), target, audit_seconds)).start_io()
    return 0


def is_spec(path: Path, text: str) -> bool:
    """Whether a file is told of.

    >>> is_spec(Path("a.layout.toml"), ""), is_spec(Path("a.toml"), "x = 1"), is_spec(Path("a.toml"), "[[descriptor]]")
    (True, False, True)
    """
    return path.name.endswith(ENDING) or (path.suffix == ".toml" and TABLE.search(text) is not None)


@dataclass(frozen=True)
class Editor:
    """What is told of a text: `include` are folders of headers for its C++, `limits` what each claim may cost.

    `target`, `audit_seconds`: what kernels are compiled for, and what each audit may cost.
    """

    include: tuple[Path, ...]
    limits: prove.Limits
    target: str = DEFAULT
    audit_seconds: float = 30.0

    def audited(self, source: Path) -> list[reports.Report]:
        """What is not proved of a source's kernels, as the launch files beside it say; the source as it is saved."""
        return sources.audited(source, self.target, self.audit_seconds, self.include)

    def reports(self, path: Path, text: str) -> list[reports.Report]:
        """What is not as expected, or why the file cannot be read."""
        try:
            spec = load(path, self.include, text=text, partly=True)
            refuse_empty(spec)
            (found,) = claims.check_all([spec], limits=self.limits)
        except Exception as error:
            if not is_told(error):
                raise
            return [checked.of_error(path, error)]
        return [r for r in checked.of_file(checked.CheckedFile.of(spec, found, None), text) if not r.passed]

    def words(self, path: Path, text: str, name: str) -> str | None:
        """What `explain` says of a descriptor; None where the file cannot be read, or has none of that name."""
        try:
            spec = load(path, self.include, text=text, partly=True)
            item = next((item for item in spec.descriptors if item.name == name), None)
            if item is None:
                return None
            return explaining.text(explaining.explain(item, DEFAULT_EXPLAINED, self.limits, accesses_of(spec, name)))
        except Exception as error:
            if not is_told(error):
                raise
            return None


@dataclass
class WorkQueue:
    """Claims are decided one after the other beside the editor's requests; of a file only what it asked for last."""

    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    asked: dict[str, int] = field(default_factory=dict)

    async def newest(self, uri: str, do: Callable[[], Told]) -> Told | None:
        """What comes of it; None where it was asked for again before it came."""
        mine = self.asked[uri] = self.asked.get(uri, 0) + 1
        told = await self.beside(lambda: do() if self.asked[uri] == mine else None)
        return told if self.asked[uri] == mine else None

    async def beside(self, do: Callable[[], Told]) -> Told:
        """What comes of it on the other thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, do)


def serve(editor: Editor) -> lsp_server.LanguageServer:
    """The server of an editor, not started yet."""
    server, work = lsp_server.LanguageServer("layoutalg", __version__), WorkQueue()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await _publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await _publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        await work.newest(params.text_document.uri, list)
        _tell(types.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        path, text, name = Path(document.path), document.source, _name_at(document, params.position)
        if name is None or not is_spec(path, text):
            return None
        words = await work.beside(lambda: editor.words(path, text, name))
        return None if words is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, _block(words)))

    async def _publish(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        path, text, version = Path(document.path), document.source, document.version
        of_source = bool(sources.launch_files(path))
        read = partial(editor.audited, path) if of_source else partial(editor.reports, path, text)
        found = await work.newest(uri, lambda: read() if of_source or is_spec(path, text) else [])
        if found is not None:
            lines = text.split("\n")
            _tell(types.PublishDiagnosticsParams(uri, [_diagnostic(document, lines, r) for r in found], version))
        if (source := sources.source_of(path)) is not None and (of_it := source.absolute().as_uri()) != uri:
            await _publish(of_it)

    def _tell(params: types.PublishDiagnosticsParams) -> None:
        server.text_document_publish_diagnostics(params)

    return server


def _block(words: str) -> str:
    return f"```text\n{words.replace('```', '` ` `')}\n```"


def _name_at(document: workspace.TextDocument, position: types.Position) -> str | None:
    """What stands in quotes at a place."""
    at = document.position_from_client_units(position)
    found = NAME.finditer(document.lines[at.line]) if at.line < len(document.lines) else ()
    return next((match[1] or match[2] for match in found if match.start() <= at.character <= match.end()), None)


def _diagnostic(document: workspace.TextDocument, lines: list[str], r: reports.Report) -> types.Diagnostic:
    """A report, at the word in quotes where it stands, else at the rest of its line, in the client's units."""
    line = lines[r.line - 1].rstrip() if r.line <= len(lines) else ""
    word = NAME.match(line, r.column - 1)
    units = document.position_codec.client_num_units
    parts = line[: r.column - 1], line[: word.end()] if word else line
    start, end = (types.Position(r.line - 1, units(part)) for part in parts)
    is_open, is_error = r.verdict == "unknown", r.verdict == "error"
    return types.Diagnostic(
        types.Range(start, end),
        re.sub(rf"^{re.escape(r.file)}[\d:]*: ", "", r.message) if is_error else reports.text(r),
        severity=types.DiagnosticSeverity.Warning if is_open else types.DiagnosticSeverity.Error,
        code=None if is_error else r.rule,
        source="layoutalg",
    )
