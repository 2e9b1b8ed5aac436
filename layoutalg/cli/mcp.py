"""`mcp`: the command line as tools of the Model Context Protocol, for machines that ask.

A tool is a command with its options, and is carried out as that command, in a process of its own:

| of a tool   | comes from                                                                             |
|-------------|----------------------------------------------------------------------------------------|
| its schema  | the command's arguments and options: names, types, ranges, defaults, help              |
| its answer  | the command's JSON document and its exit code; of bad input the one line that it tells |
| its budget  | the command's own limit, and a limit of the clock, after which its processes are ended |

    {"tile.toml": …}  ─schema─▶  layoutalg check … --format json  ─▶  {"exit": 1, "document": {…}, "notes": []}

A file is given by its path, or as text with a name: it is then written to a folder of its own, which lasts as long as
the server, and what the command writes beside it (a code object) is told by its path, for the next call.

What it does not: resources, prompts, progress; a client reads and writes what the user who started the server may.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Annotated, Any, TypeAlias

import typer
from typer.main import get_command

from layoutalg import __version__
from layoutalg.cli import auditing, checking, comparing, counting, executing, explaining, kernels, synthesis
from layoutalg.cli.errors import BAD_INPUT, DEFECT, InputError
from layoutalg.cli.output import time_limit
from layoutalg.errors import STEP_LIMIT
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import anyio
    import jsonschema.exceptions
    import mcp_types as types
    from mcp.server import lowlevel, stdio

Given: TypeAlias = Mapping[str, Any]

TIMEOUT = "timeout_seconds"
"""The property that every tool has besides its command's."""
STOPPED = 2
"""Exit code of a call that its limit ended: nothing is decided."""
TEXTS = frozenset({"files", "file", "launch_file", "source", "old", "new"})
"""Parameters that name a file which a client may give as text."""
WITHHELD = frozenset(
    {"form", "as_json", "as_latex", "every", "watch", "jobs", "executor", "certificates", "cache", "template",
     "trace_file", "install_completion", "show_completion"}
)  # fmt: skip
"""Parameters that are of a terminal, or say how the answer is printed, kept and computed."""
OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {
        "exit": {"type": "integer", "description": "0 all as expected, 1 refuted, 2 unknown, 3 bad input."},
        "document": {"description": "The command's JSON document."},
        "notes": {"type": "array", "items": {"type": "string"}},
        "files": {"type": "array", "items": {"type": "string"}, "description": "What was written beside texts."},
        "error": {"type": "string", "description": "Why there is no document, in one line."},
    },
    "required": ["exit"],
}


@dataclass(frozen=True)
class Tool:
    """A command as a tool: what of it must be given, what is left out, and words where they are not the command's."""

    command: str
    function: Callable[..., int]
    needs: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    words: str = ""
    writes: bool = False

    @property
    def parameters(self) -> Iterator[tuple[str, Any]]:
        """Those of the command that a client gives, by the names of their properties."""
        for one in self._command.params:
            if one.name not in self.without | WITHHELD:
                long = [opt for opt in one.opts if opt.startswith("--")]
                yield long[0][2:].replace("-", "_") if long else one.name, one

    @property
    def _command(self) -> Any:
        app = typer.Typer()
        app.command()(self.function)
        return get_command(app)

    @property
    def description(self) -> str:
        """What it does; of a command, its help up to its examples."""
        return self.words or (self._command.help or "").partition("\b")[0].strip()

    def schema(self, most: Most) -> dict[str, Any]:
        """The JSON schema of what it takes."""
        properties = {name: _property(one, most) for name, one in self.parameters}
        limit = {"type": "number", "exclusiveMinimum": 0, "maximum": most.seconds, "default": most.seconds,
                 "description": "Seconds of the clock after which the call is stopped."}  # fmt: skip
        needed = [name for name, one in self.parameters if one.required or one.name in self.needs]
        return {"type": "object", "properties": {**properties, TIMEOUT: limit}, "required": needed,
                "additionalProperties": False}  # fmt: skip

    def arguments(self, given: Given, place: Callable[[Given], Path]) -> list[str]:
        """The command line of what is given; `place` writes a file that is given as text."""
        forms = {one.name for one in self._command.params}
        words = [self.command, *(["--format", "json"] if "form" in forms else ["--json"])]
        last: list[str] = []
        for name, one in self.parameters:
            values = given.get(name, [])
            for value in values if isinstance(values, list) else [values]:
                text = str(place(value) if isinstance(value, dict) else value)
                if one.param_type_name == "argument":
                    last.append(text)
                elif one.is_flag:
                    words += [one.opts[0]] * value
                else:
                    option = one.opts[-1]
                    words += [f"{option}={text}"] if option.startswith("--") else [option, text]
        return [*words, "--", *last]


@dataclass(frozen=True)
class Most:
    """What one call may cost at most: seconds of the clock, and instructions of a run."""

    seconds: float
    steps: int


def _property(one: Any, most: Most) -> dict[str, Any]:
    """A parameter of a command as JSON schema has it."""
    caps = {"seconds": most.seconds, "steps": most.steps}
    said: dict[str, Any] = {"type": KINDS.get(one.type.name.removesuffix(" range"), "string")}
    bounds = {"minimum": getattr(one.type, "min", None), "maximum": caps.get(one.name, getattr(one.type, "max", None))}
    said |= {key: bound for key, bound in bounds.items() if bound is not None}
    if one.name in TEXTS:
        said = {"anyOf": [said, FILE]}
    if one.nargs == -1 or getattr(one, "multiple", False):
        said = {"type": "array", "items": said}
    elif one.default not in (None, ""):
        said["default"] = min(one.default, caps[one.name]) if one.name in caps else one.default
    return {**said, "description": getattr(one, "help", None) or ""}


KINDS = {"int": "integer", "float": "number", "boolean": "boolean"}
"""Types of JSON by those of the command line; all others are given as text."""
FILE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": r"^\w[^/\0]*$", "description": "Its ending says what it is: .toml, .hip"},
        "text": {"type": "string"},
    },
    "required": ["name", "text"],
    "additionalProperties": False,
}

TOOLS: Mapping[str, Tool] = {
    "check": Tool("check", checking.check, without=frozenset({"item", "claim"}),
                  words="Prove every claim of each layout in spec files, for all sizes; where refuted, the witness."),
    "prove": Tool("check", checking.check, needs=frozenset({"item", "claim"}), without=frozenset({"target"}),
                  words="Prove claims of one layout of a spec file, in place of those that it makes, for all sizes."),
    "explain": Tool("explain", explaining.explain, without=frozenset({"fix"})),
    "synth": Tool("synth", synthesis.synth, without=frozenset({"output"})),
    "diff": Tool("diff", comparing.diff),
    "compile": Tool("compile", kernels.compile_file, writes=True),
    "template": Tool("audit", auditing.audit, without=frozenset({"launch_file"}),
                     words="What is known of a compiled kernel without its launch (registers, occupancy, LDS cycles), "
                           "and a template of its launch file to fill in; the exit is 2, as nothing is proved."),
    "audit": Tool("audit", auditing.audit, needs=frozenset({"launch_file"})),
    "execute": Tool("execute", executing.execute, writes=True),
    "counters": Tool("counters", counting.counters),
}  # fmt: skip


def mcp(
    seconds: Annotated[float, time_limit("one call: its processes are ended then", least=1)] = 600.0,
    steps: Annotated[int, typer.Option(min=1, help="The most instructions that a client may let a run take.")] = (
        STEP_LIMIT
    ),
) -> int:
    """Serve machines that ask (Model Context Protocol, standard streams): commands as tools, with their documents."""
    with TemporaryDirectory(prefix="layoutalg-mcp-") as folder:
        anyio.run(_serve, Desk(Path(folder), Most(seconds, steps)))
    return 0


async def _serve(desk: Desk) -> None:
    async def listed(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(name, tool, desk.most) for name, tool in TOOLS.items()])

    async def called(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await desk.answer(params.name, params.arguments or {})
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=answer, is_error="error" in answer)

    server = lowlevel.Server("layoutalg", version=__version__, on_list_tools=listed, on_call_tool=called)
    async with stdio.stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _listed(name: str, tool: Tool, most: Most) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=tool.writes, open_world_hint=False)
    return types.Tool(name=name, description=tool.description, input_schema=tool.schema(most),
                      output_schema=OUTPUT_SCHEMA, annotations=hints)  # fmt: skip


@dataclass
class Desk:
    """Where calls are answered: a folder for what is given as text, one below it for each call."""

    folder: Path
    most: Most
    calls: int = 0
    free: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(os.cpu_count() or 1))

    async def answer(self, name: str, given: Given) -> dict[str, Any]:
        """What a tool's command says of what is given; of bad input, and where time is out, an error in one line."""
        try:
            tool = _tool(name, given, self.most)
        except InputError as error:
            return {"error": str(error), "exit": BAD_INPUT}
        self.calls += 1
        own = self.folder / str(self.calls)
        own.mkdir()
        words = tool.arguments(given, lambda file: _written(own, file))
        texts = {*own.iterdir()}
        limit = float(given.get(TIMEOUT, self.most.seconds))
        async with self.free:
            code, told, notes = await _carried_out([sys.executable, "-m", "layoutalg", *words], limit)
        if code is None:
            return {"error": f"{name}: stopped after {limit:g} s: nothing is decided", "exit": STOPPED}
        files = sorted(str(path) for path in {*own.iterdir()} - texts)
        return _answer(code, told, notes) | ({"files": files} if files else {})


def _answer(code: int, told: str, notes: list[str]) -> dict[str, Any]:
    """What a command that ended told; where it decided nothing, the error in one line, and what else it told."""
    document = json.loads(told) if told and code >= 0 else None
    if document is None or (code >= BAD_INPUT and "error" not in document):
        last = notes[-1].removeprefix("layoutalg: ") if notes and code >= 0 else f"it was ended ({code})"
        document = {"error": last, "exit": code if code > 0 else DEFECT, **({"document": document} if document else {})}
    if "error" in document:
        return {**document, "notes": notes}
    return {"exit": code, "document": document, "notes": notes}


def _tool(name: str, given: Given, most: Most) -> Tool:
    """The tool of that name, which takes what is given; InputError otherwise."""
    if name not in TOOLS:
        raise InputError(f"there is no tool {name!r}; there are {', '.join(TOOLS)}")
    checker = jsonschema.Draft202012Validator(TOOLS[name].schema(most))
    wrong = jsonschema.exceptions.best_match(checker.iter_errors(given))
    if wrong is not None:
        raise InputError(": ".join((name, *map(str, wrong.absolute_path), " ".join(wrong.message.split()))))
    return TOOLS[name]


def _written(folder: Path, file: Given) -> Path:
    path = folder / str(file["name"])
    path.write_text(file["text"], encoding="utf-8")
    return path


async def _carried_out(command: list[str], limit: float) -> tuple[int | None, str, list[str]]:
    """A command's exit code, None where its time was out; what it told, and its notes. Its processes end with it."""
    with TemporaryFile() as out, TemporaryFile() as err:
        process = await anyio.open_process(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            with anyio.move_on_after(limit):
                await process.wait()
            code = process.returncode
        finally:
            if process.returncode is None:  # out of time, or the client no longer asks
                os.killpg(process.pid, signal.SIGKILL)
                with anyio.CancelScope(shield=True):
                    await process.wait()
        told, notes = map(_text, (out, err))
        return code, told, notes.splitlines()


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")
