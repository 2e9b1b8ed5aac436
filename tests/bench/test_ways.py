"""The candidates of a case."""

from layoutalg.bench.cases import Case
from layoutalg.bench.ways import candidates


def test_a_sum_in_parts_is_a_candidate_of_two_launches():
    case = Case("contraction", ((256, 8192), (256, 8192)), "f16", {"einsum": "ik,jk->ij"})
    assert [len(tasks) for tasks in candidates(case, "sm_90")] == [2]
