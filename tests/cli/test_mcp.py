"""`mcp`: tools called by the package's own client, which starts the server as any client does."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pytest

from layoutalg.cli.mcp import TOOLS
from tests.cli.command import GOOD, run
from tests.cli.test_counting import LAUNCH, SOURCE
from tests.optional import needed

anyio, jsonschema = needed("anyio", "mcp"), needed("jsonschema", "mcp")
clients, streams = needed("mcp.client", "mcp"), needed("mcp.client.stdio", "mcp")

Call: TypeAlias = Callable[..., dict[str, Any]]
OPEN = """
symbols = { M = { min = 1, max = 1000000 }, N = { min = 1, max = 1000000 } }
[[lemma]]
name = "no_cube_is_the_sum_of_two"
variables = { i = "M", j = "M", k = "N" }
goal = "i * i * i + j * j * j + 3 * i * i + 3 * j * j + 3 * i + 3 * j + 2 != k * k * k"
"""
SPEC = {"name": "a.toml", "text": GOOD}


def asking(client_does: Callable[[Any], Awaitable[Any]], *arguments: str) -> Any:
    """What a client finds that does this with a server."""

    async def session() -> Any:
        server = streams.StdioServerParameters(
            command=sys.executable, args=["-m", "layoutalg", "mcp", *arguments], env=dict(os.environ)
        )
        async with clients.Client(streams.stdio_client(server)) as client:
            return await client_does(client)

    return anyio.run(session)


@pytest.fixture(scope="module")
def call() -> Iterator[Call]:
    """Calls a tool; the one server lives as long as the module's tests."""
    with anyio.from_thread.start_blocking_portal() as portal:
        server = streams.StdioServerParameters(
            command=sys.executable, args=["-m", "layoutalg", "mcp", "--seconds", "100"], env=dict(os.environ)
        )
        with portal.wrap_async_context_manager(clients.Client(streams.stdio_client(server))) as client:

            def ask(name: str, **given: object) -> dict[str, Any]:
                result = portal.call(client.call_tool, name, given)
                answer = result.structured_content
                assert json.loads(result.content[0].text) == answer
                assert result.is_error == ("error" in answer)
                assert isinstance(answer, dict)
                return answer

            yield ask


@pytest.fixture(scope="module")
def built(call: Call) -> str:
    """The path of a code object that a client had compiled from text."""
    answer = call("compile", source={"name": "scale.hip", "text": SOURCE}, target="gfx942")
    assert "scale" in answer["document"]["kernels"]
    (file,) = answer["files"]
    return str(file)


def test_each_tool_has_a_schema_that_is_one() -> None:
    async def listed(client: Any) -> Any:
        return await client.list_tools()

    tools = asking(listed, "--seconds", "30", "--steps", "1000").tools
    assert [tool.name for tool in tools] == [*TOOLS]
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert all(one["description"] for name, one in tool.input_schema["properties"].items() if "anyOf" not in one)
        assert tool.input_schema["properties"]["timeout_seconds"]["maximum"] == 30
    of = {tool.name: tool.input_schema["properties"] for tool in tools}
    assert of["audit"]["seconds"]["maximum"] == of["audit"]["seconds"]["default"] == 30
    assert of["execute"]["steps"] == {**of["execute"]["steps"], "type": "integer", "minimum": 1, "maximum": 1000}


def test_the_answer_is_the_document_of_the_command(call: Call) -> None:
    given = ("--tile", "128x64", "--read", "mfma_f32_32x32x16_f16", "--target", "gfx950")
    said = json.loads(run("synth", *given, "--json").stdout)
    answer = call("synth", tile=given[1], read=given[3], target=given[5])
    assert (answer["exit"], {**answer["document"], "seconds": said["seconds"]}, answer["notes"]) == (0, said, [])
    (item,) = call("explain", file=SPEC)["document"]["descriptors"]
    assert item["name"] == "a_lds"


def test_layouts_are_checked_and_compared(call: Call) -> None:
    assert call("check", files=[SPEC])["document"]["passed"]
    other = {"name": "b.toml", "text": GOOD.replace("520", "528")}
    assert call("diff", old=SPEC, new=other)["exit"] == 1


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("contiguous(8)", "proved"), ("contiguous(16)", "refuted"), ("aligned(8)", "proved"), ("injective", "proved")],
)
def test_a_claim_of_a_layout_is_decided(call: Call, claim: str, verdict: str) -> None:
    answer = call("prove", files=[SPEC], item="a_lds", claim=[claim])
    (told,) = answer["document"]["files"][0]["results"]
    assert (told["claim"], told["verdict"], answer["exit"]) == (claim, verdict, int(verdict == "refuted"))
    assert ("witness" in told) == (verdict == "refuted")


@pytest.mark.slow
def test_a_kernel_is_audited_run_and_counted(call: Call, built: str) -> None:
    launch = {"name": "scale.toml", "text": LAUNCH}
    assert "[launch]" in call("template", file=built)["document"]["template"]
    assert call("audit", file=built, launch=launch)["document"]["verdict"] == "proved"
    beyond = {**launch, "text": LAUNCH.replace('lengths = ["N"]', 'lengths = ["N - 1"]').replace("min = 1", "min = 2")}
    assert call("audit", file=built, launch=beyond)["document"]["verdict"] == "refuted"
    assert "fault" not in call("execute", file=built, launch=launch, define=["N=100"])["document"]
    assert call("counters", file=built, launch=launch, define=["N=100"])["document"]["grid"] == [2]


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("prove", {"files": [SPEC], "item": "a_lds"}, "'claim' is a required property"),
        ("prove", {"files": [SPEC], "item": "b_lds", "claim": ["injective"]}, "it has a_lds"),
        ("prove", {"files": [SPEC], "item": "a_lds", "claim": ["lucky"]}, "'lucky' is no claim"),
        ("check", {"files": [{"name": "a.toml", "text": "x"}]}, "not TOML"),
        ("check", {"files": ["no-such-file.toml"]}, "no-such-file.toml"),
        ("check", {"files": [SPEC], "seconds": 101}, "101 is greater than the maximum of 100"),
        ("check", {"files": [{"name": "../a.toml", "text": GOOD}]}, "../a.toml"),
        ("check", {"files": [SPEC], "watch": True}, "'watch' was unexpected"),
        ("compile", {"source": {"name": "k.hip", "text": "int k("}}, "expected"),
        ("audit", {"file": "-o", "launch": SPEC}, "-o: No such file"),
        ("hack", {}, "there is no tool 'hack'"),
    ],
)
def test_bad_input_is_one_line(call: Call, name: str, given: Mapping[str, object], why: str) -> None:
    answer = call(name, **given)
    assert answer["exit"] == 3
    assert why in answer["error"]
    assert "\n" not in answer["error"]


def test_a_run_has_its_steps(call: Call, built: str) -> None:
    given = {"file": built, "launch": {"name": "k.toml", "text": LAUNCH}, "define": ["N=100"]}
    assert "fault" in call("execute", **given, steps=5)["document"]


@pytest.mark.slow
def test_a_call_whose_time_is_out_decides_nothing_and_leaves_nothing_running(call: Call) -> None:
    lemma = {"name": "cubes.toml", "text": OPEN}
    answer = call("check", files=[lemma], seconds=90, timeout_seconds=3)
    assert (answer["exit"], answer["error"]) == (2, "check: stopped after 3 s: nothing is decided")
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "cubes.toml" not in running
    unknown = call("check", files=[lemma], seconds=0.2)["document"]
    assert (unknown["unknown"], unknown["passed"]) == (1, False)
