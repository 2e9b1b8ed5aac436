"""`lsp`: the protocol spoken to a process of its own, as an editor speaks it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from layoutalg.cli.lsp import is_spec
from tests.cli.command import GOOD, run
from tests.optional import needed

WRONG = GOOD.replace("520", "500") + 'claims = ["in_bounds", "injective"]  # 𝄞 and a claim\n'
OPEN = """
symbols = { M = { min = 1, max = 1000000 }, N = { min = 1, max = 1000000 } }
[[lemma]]
name = "no_cube_is_the_sum_of_two"
variables = { i = "M", j = "M", k = "N" }
goal = "i * i * i + j * j * j + 3 * i * i + 3 * j * j + 3 * i + 3 * j + 2 != k * k * k"
"""


class Client:
    """An editor: requests, notifications, and what comes back."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "layoutalg", "lsp", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, method: str, params: object, **more: object) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        found = json.loads(self.process.stdout.read(length))
        assert isinstance(found, dict)
        return found

    def ask(self, method: str, params: object) -> Any:
        self.number += 1
        self.send(method, params, id=self.number)
        while (found := self.receive()).get("id") != self.number:
            pass
        return found["result"]

    def tell(self, method: str, params: object) -> dict[str, Any]:
        """The diagnostics that a notification brings."""
        self.send(method, params)
        while (found := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        params = found["params"]
        assert isinstance(params, dict)
        return params

    def open(self, path: Path, text: str) -> list[dict[str, Any]]:
        path.write_text(text, encoding="utf-8")
        document = {"uri": path.as_uri(), "languageId": "toml", "version": 1, "text": text}
        return list(self.tell("textDocument/didOpen", {"textDocument": document})["diagnostics"])

    def hover(self, path: Path, line: int, character: int) -> Any:
        where = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        return self.ask("textDocument/hover", where)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    needed("pygls", "lsp")
    client = Client("--seconds", "2")
    try:
        said = client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert said["serverInfo"]["name"] == "layoutalg"
        assert said["capabilities"]["hoverProvider"]
        client.send("initialized", {})
        yield client
        assert client.ask("shutdown", None) is None
        client.send("exit", None)
        assert client.process.wait(30) == 0
    finally:
        client.process.kill()


def test_what_is_refuted_is_an_error_at_its_claim_until_it_is_mended_and_saved(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.layout.toml"
    (found,) = client.open(path, WRONG)
    line = WRONG.split("\n").index('claims = ["in_bounds", "injective"]  # 𝄞 and a claim')
    assert found["range"] == {"start": {"line": line, "character": 23}, "end": {"line": line, "character": 34}}
    assert (found["severity"], found["code"], found["source"]) == (1, "injective", "layoutalg")
    assert re.search(r"index \(\d+, \d+\), offset (\d+) and index \(\d+, \d+\), offset \1$", found["message"])
    said = json.loads(run("check", path, "--format", "json").stdout)["files"][0]["results"]
    assert [(r["line"], r["column"]) for r in said if not r["passed"]] == [(line + 1, 24)]

    start = WRONG.split("\n").index(next(row for row in WRONG.split("\n") if "500" in row))
    at = WRONG.split("\n")[start].index("500")
    place = {"start": {"line": start, "character": at}, "end": {"line": start, "character": at + 3}}
    document = {"uri": path.as_uri(), "version": 2}
    edit = {"textDocument": document, "contentChanges": [{"range": place, "text": "520"}]}
    client.send("textDocument/didChange", edit)
    saved = client.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    assert (saved["version"], saved["diagnostics"]) == (2, [])
    closed = client.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert closed["diagnostics"] == []


@pytest.mark.parametrize(
    ("text", "line", "character", "message"),
    [
        (GOOD.replace("strides = [520", 'strides = ["M +"'), 4, None, "M +"),
        (GOOD.replace("lower = [1]", "lowr = [1]"), 6, None, "lowr"),
        (GOOD + "x = ]\n", 9, 4, "not TOML: Invalid value"),
        ("", 0, 0, "it describes no layout"),
    ],
)
def test_bad_input_is_an_error_where_it_is(
    client: Client, tmp_path: Path, text: str, line: int, character: int | None, message: str
) -> None:
    (found,) = client.open(tmp_path / "bad.layout.toml", text)
    start = found["range"]["start"]
    assert start["line"] == line
    assert character is None or start["character"] == character
    assert found["severity"] == 1
    assert message in found["message"]
    assert str(tmp_path) not in found["message"]


def test_what_is_unknown_is_a_warning_and_columns_are_the_client_s(client: Client, tmp_path: Path) -> None:
    (found,) = client.open(tmp_path / "open.toml", OPEN)
    assert (found["severity"], found["code"], found["range"]["start"]["line"]) == (2, "holds", 2)
    claims = 'claims = [{ claim = "in_bounds", expect = "refuted", because = "𝄞" }, "injective"]'
    first, second = client.open(tmp_path / "b.layout.toml", GOOD.replace("520", "500") + claims)
    assert first["message"] == "a_lds: in_bounds: proved: expected: refuted, because 𝄞"
    at = claims.index('"injective"') + 1  # 𝄞 is one character, and two units of UTF-16
    assert [second["range"][end]["character"] for end in ("start", "end")] == [at, at + 11]


def test_a_descriptor_s_name_is_explained_wherever_it_stands(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.layout.toml"
    access = '[[access]]\nname = "read"\ndescriptor = "a_lds"\nindex = ["lane", 0]\nwidth = 8\ntargets = ["gfx942"]\n'
    assert client.open(path, GOOD + access) == []
    rows = (GOOD + access).split("\n")
    named = [(n, row.index("a_lds")) for n, row in enumerate(rows) if "a_lds" in row]
    assert len(named) == 2
    (told,) = {client.hover(path, *place)["contents"]["value"] for place in named}
    assert told.startswith("```text\na_lds: 64 × 64 elements of f16 (i0 and i1)")
    assert "merge((8, 8)): i1 counts d1 and d3 row by row, the last fastest." in told
    assert "✓ injective: proved" in told
    words = run("explain", path).stdout.rstrip("\n")
    assert told == f"```text\n{words}\n```"
    assert client.hover(path, 0, 0) is None
    assert client.hover(path, 3, 9) is None
    assert client.hover(path, 99, 0) is None


def test_of_another_file_nothing_is_said(client: Client, tmp_path: Path) -> None:
    assert client.open(tmp_path / "pyproject.toml", '[project]\nname = "a" x') == []
    assert not is_spec(Path("a.md"), "[[descriptor]]")


SCALE = """#include <hip/hip_runtime.h>

extern "C" __global__ void scale(const float* x, float* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i <= n) o[i] = 2 * x[i];
}
"""
LAUNCHED = """symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[launch]
grid = ["(N + 255) // 256"]
block = [256]
arguments = ["x", "o", "N"]
writes = ["o"]
"""


@pytest.mark.slow
def test_a_kernel_is_audited_as_the_launch_file_beside_it_says(client: Client, tmp_path: Path) -> None:
    needed("ziglang", "kernels")
    path, launch = tmp_path / "scale.hip", tmp_path / "scale.toml"
    assert client.open(path, SCALE) == []
    assert client.open(launch, LAUNCHED) == []
    of_source = client.receive()["params"]
    assert of_source["uri"] == path.as_uri()
    claims = {one["code"] for one in of_source["diagnostics"]}
    assert {one["range"]["start"]["line"] for one in of_source["diagnostics"]} == {4}
    assert "in_bounds" in claims
    assert "as scale.toml launches it" in of_source["diagnostics"][0]["message"]

    path.write_text(SCALE.replace("<=", "<"), encoding="utf-8")
    saved = client.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    assert saved["diagnostics"] == []
    path.write_text(SCALE.replace("2 * x", "2 * y"), encoding="utf-8")
    (wrong,) = client.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})["diagnostics"]
    assert wrong["range"]["start"] == {"line": 4, "character": 25}
    assert "'y'" in wrong["message"]
