"""Targets are named in many ways, and each is one processor and its features."""

import pytest

from layoutalg.isa.container.target_id import TargetId


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gfx942", "gfx942"),
        ("amdgcn-amd-amdhsa--gfx942", "gfx942"),
        ("amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a:xnack-"),
        ("amdgcn-amd-amdhsa--gfx90a:xnack+:sramecc+", "gfx90a:sramecc+:xnack+"),
        ("amdgpu9.42-amd-amdhsa-unknown-gfx942", "gfx942"),
        ("amdgcn-amd-amdhsa-unknown-gfx942:sramecc-", "gfx942:sramecc-"),
        ("hipv4-amdgcn-amd-amdhsa--gfx1201", "gfx1201"),
        ("hip-amdgcn-amd-amdhsa-gfx906", "gfx906"),
        ("amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"),
    ],
)
def test_a_name_is_a_processor_and_features(name, said):
    assert str(TargetId.parse(name)) == said


@pytest.mark.parametrize(
    "name", ["", "gfx", "sm_90", "host-x86_64-unknown-linux-gnu-", "gfx90a:xnack", "gfx90a:xnack+:xnack-", "gfx942\n",
             "hip-spirv64-amd-amdhsa--amdgcnspirv"],
)  # fmt: skip
def test_other_names_are_none(name):
    assert TargetId.parse(name) is None
