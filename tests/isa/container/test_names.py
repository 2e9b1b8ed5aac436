"""Kernels by the names that people write."""

import random

import pytest

from layoutalg.isa.container.names import base, meant, spoken
from tests.fuzzing import FIRST, count


@pytest.mark.parametrize(
    ("symbol", "written"),
    [
        ("scale", "scale"),
        ("_Z5scalePfi", "scale"),
        ("_ZN2at6native6reduceIfLi256ELb1EEEvPKT_PS2_", "at::native::reduce<float, 256, true>"),
        ("_Z3sumIDF16_Lin3EEvPT_", "sum<_Float16, -3>"),
        ("_ZN12_GLOBAL__N_15scaleEPf", "(anonymous namespace)::scale"),
        ("_Z1kIPK15HIP_vector_typeIfLj4EEEvT_", "k<HIP_vector_type<float, 4u> const*>"),
        ("_Z1kIN2ck5TupleIJfiEEESt4pairIfS2_EEvv", "k<ck::Tuple<float, int>, std::pair<float, ck::Tuple<float, int>>>"),
        ("_Z7appliedIZL8launchesPfEUlfE_EvT_", "_Z7appliedIZL8launchesPfEUlfE_EvT_"),  # of a lambda
        ("_Z", "_Z"),
        ("_Z99x", "_Z99x"),
    ],
)
def test_a_symbol_as_cpp_writes_it(symbol: str, written: str) -> None:
    """As `c++filt` has them, but for return types and parameters."""
    assert spoken(symbol) == written


KERNELS = ("_Z6reduceIfLi256EEvPKT_PS0_i", "_Z6reduceIdLi256EEvPKT_PS0_i", "_ZN2at5scaleEPf", "plain", "scale_all")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("plain", "3"),
        ("scale", "2"),
        ("at::scale", "2"),
        ("at::scale(float*)", "2"),
        ("reduce", "01"),
        ("reduce<float,256>", "0"),
        ("void reduce<double, 256>(double const*, double*, int)", "1"),
        ("_Z6reduceIfLi256EEvPKT_PS0_i", "0"),
        ("reduce<half, 256>", ""),
        ("scal", ""),
        ("", ""),
    ],
)
def test_what_a_written_name_means(written: str, found: str) -> None:
    assert meant(written, KERNELS) == tuple(KERNELS[int(n)] for n in found)


def test_whatever_a_symbol_is_it_has_a_name() -> None:
    for seed in range(FIRST, FIRST + count(2000)):
        draw = random.Random(seed)
        symbol = list(draw.choice(KERNELS))
        for _ in range(draw.randint(1, 3)):
            symbol[draw.randrange(len(symbol))] = draw.choice("_ZNISELJPKT019fi")
        assert spoken("".join(symbol)), seed
        assert isinstance(base("".join(symbol)), str), seed
