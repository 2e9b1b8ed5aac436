"""What is assumed of several elements together, said and refused; whole kernels are in `tests/audit/cases`."""

import pytest

from layoutalg.errors import LaunchError
from layoutalg.formats.assumptions import Known, assumption
from layoutalg.index import TRUE, Expr, all_of, any_of, eq, negation, symbol, var, variables
from layoutalg.launch.elements import Elements
from layoutalg.launch.memory import TensorMemory
from layoutalg.launch.relations import LoadedElement, Relations
from layoutalg.layout import make_naive_tensor_descriptor_packed
from layoutalg.prove import ForAll, prove
from layoutalg.symex.values.instances import others
from layoutalg.symex.values.unknowns import Kind, unknown_value
from tests.audit.auditing import HIP, audited, verdicts

LAUNCH = """
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "naive", lengths = [512], strides = [1] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "packed", lengths = [65536] }
[launch]
grid = [4]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
assume = ["0 <= x[i] <= 30000", "x[i] != x[j] for i != j"]
"""
SCATTER = (
    HIP
    + """extern "C" __global__ void k(const int* x, int* o) {
    int t = blockIdx.x * 64 + threadIdx.x;
    o[x[t]] = t;
}
"""
)
EQUAL = "x[i] != x[j] for i != j"


def test_that_elements_differ_is_told_where_it_is_used() -> None:
    found = audited(SCATTER, LAUNCH)
    assert found.proved
    assert EQUAL in found.assumptions


def test_nothing_is_made_of_elements_that_are_not_said_to_differ() -> None:
    found = audited(SCATTER, LAUNCH.replace(f', "{EQUAL}"', ""))
    assert verdicts(found, "race_free") == {"refuted"}
    assert EQUAL not in found.assumptions


@pytest.mark.parametrize(("dtype", "assumed"), [
    ("i32", f'"0 <= x[i] <= 510", "{EQUAL}"'),
    ("i8", f'"{EQUAL}"'),
    ("u16", f'"x[i] <= 255", "{EQUAL}"'),
])  # fmt: skip
def test_more_elements_than_values_cannot_differ(dtype: str, assumed: str) -> None:
    said = LAUNCH.replace("i32", dtype, 1).replace(f'"0 <= x[i] <= 30000", "{EQUAL}"', assumed)
    with pytest.raises(LaunchError, match="512 elements, which cannot all differ"):
        audited(SCATTER, said)


def test_what_lies_between_elements_is_not_held_apart() -> None:
    """Of a tensor with a stride of 2 every second place is an element, and of the others nothing is known."""
    assert "proved" not in verdicts(audited(SCATTER, LAUNCH.replace("strides = [1]", "strides = [2]")), "race_free")


@pytest.mark.parametrize("said", ['"x[i] < x[i + 1]", "x[511] <= x[0]"', '"x[i] % 4 == 5"', '"x[0] == 1", "x[i] > 1"'])
def test_what_contradicts_itself_is_refused(said: str) -> None:
    """All would be proved of it."""
    with pytest.raises(LaunchError, match="contradicts itself"):
        audited(SCATTER, LAUNCH.replace(f'"0 <= x[i] <= 30000", "{EQUAL}"', said))


def element(number: Expr, *index: Expr, tensor: str = "x") -> LoadedElement:
    return LoadedElement(tensor, number, index, TRUE)


def relations(*texts: str, rank: int = 1) -> Relations:
    known = Known({"x": ("i32", rank), "y": ("i32", rank)}, {"N": N}, {})
    memory = {name: TensorMemory(name, N * 4, 4, written=False, signed=True, whole=True) for name in "xy"}
    return Relations(memory, tuple(assumption(text, known) for text in texts))


N, R, K = symbol("N", max=1000), var("r", 1000), var("k", 1000)
V, W, U = (unknown_value(f"loaded {n}", 1 << 30, Kind.DATA, n) for n in range(3))


def follows(goal: Expr, found: list[LoadedElement], *texts: str, given: Expr = TRUE) -> bool:
    said = relations(*texts, rank=len(found[0].index)).said(found)
    return prove(ForAll("it follows", goal, all_of(given, said))).name == "proved"


@pytest.mark.parametrize(("text", "goal", "otherwise"), [
    ("x[i] <= x[i + 1]", V <= W, W <= V),
    ("x[i] < x[i + 1]", V + 1 <= W, V + 2 <= W),
    ("0 <= x[i] <= x[i + 1] <= N", W <= N, W < N),
    ("x[i] <= x[j] for i < j", V <= W, V < W),
    ("x[i + 1] - x[i] <= N", W - V <= N, V - W <= N),
    ("x[i] != x[j] for i != j", negation(eq(V, W)), V <= W),
    ("x[i] != x[j] for i != j and x[i] < N", any_of(V >= N, negation(eq(V, W))), negation(eq(V, W))),
    ("x[i] >= i", V >= R, V > R),
    ("x[i] <= x[j] for i >= j", W <= V, V <= W),
])  # fmt: skip
def test_of_neighbours_follows_what_is_assumed_and_no_more(text: str, goal: Expr, otherwise: Expr) -> None:
    found = [element(V, R), element(W, R + 1)]
    assert follows(goal, found, text)
    assert not follows(otherwise, found, text)


def test_of_elements_that_may_be_no_neighbours_nothing_follows() -> None:
    found = [element(V, R), element(W, K)]
    assert not follows(W - V <= N, found, "x[i + 1] - x[i] <= N")
    assert follows(W - V <= N, found, "x[i + 1] - x[i] <= N", given=eq(K, R + 1))
    for text in ("x[i] <= x[i + 1]", "0 <= x[i] <= x[i + 1] <= N"):
        assert follows(V <= W, found, text, given=R <= K)
    assert not follows(V <= W, found, "x[i] <= x[i + 1] for i < 9", given=R <= K)
    assert not follows(V <= W, found, "x[i] <= x[i + 2]", given=R <= K)


def test_one_place_holds_one_value() -> None:
    assert follows(eq(V, W), [element(V, R), element(W, K)], given=eq(R, K))
    assert not follows(eq(V, W), [element(V, R), element(W, K, tensor="y")], given=eq(R, K))


def test_of_two_tensors_elements_at_one_index_are_related() -> None:
    found = [element(V, R), element(W, R, tensor="y"), element(U, K, tensor="y")]
    assert follows(V + W <= N, found, "x[i] + y[i] <= N")
    assert not follows(V + U <= N, found, "x[i] + y[i] <= N")


def test_an_element_that_is_named_stands_between_others() -> None:
    texts = "x[i] <= x[i + 1]", "x[N - 1] == N", "x[0] == 0"
    assert follows(V <= N, [element(V, R)], *texts, given=R < N) is False  # its tensor's places are not known
    packed = Elements.of(make_naive_tensor_descriptor_packed((N,)), lambda e: e)
    memory = TensorMemory("x", N * 4, 4, written=False, signed=True, elements=packed, whole=True)
    known = Known({"x": ("i32", 1)}, {"N": N}, {})
    said = Relations({"x": memory}, tuple(assumption(text, known) for text in texts)).said([element(V, R)])
    assert prove(ForAll("within", all_of(V >= 0, V <= N), all_of(said, R < N))).name == "proved"
    assert prove(ForAll("less", V < N, all_of(said, R < N))).name == "refuted"


def test_an_index_begins_at_zero() -> None:
    """x[i + 1] >= 5 says nothing of x[0]."""
    assert not follows(V >= 5, [element(V, R)], "x[i + 1] >= 5")
    assert follows(V >= 5, [element(V, R)], "x[i + 1] >= 5", given=R >= 1)


def test_rows_and_columns_are_told_apart() -> None:
    found = [element(V, R, K), element(W, R, K + 1)]
    assert follows(V <= W, found, "x[i, j] <= x[i, j + 1]")
    assert not follows(V <= W, found, "x[i, j] <= x[i + 1, j]")


def test_a_place_is_of_the_thread_and_the_turn_that_loaded_it() -> None:
    """Two threads' places are of two turns: that these are one does not follow."""
    thread, turn = var("thread", 64), var("turn 0", 9)
    v = unknown_value("loaded", 100, Kind.DATA, owner=(thread, turn))
    one = LoadedElement("x", v, (thread + 64 * turn,), turn >= 0)
    there = others([thread, turn])
    held = relations("x[i] != x[j] for i != j").said([one, one.at(there)])
    assert {thread, turn, *there.values()} < set(variables(held))
