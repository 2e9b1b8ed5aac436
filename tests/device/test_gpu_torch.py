"""torch's tensors on a GPU, in and out without a copy; skipped where there is no NVIDIA GPU or no torch."""

import numpy as np
import pytest

from layoutalg.device import CodeObject, LaunchError, devices

torch = pytest.importorskip("torch")
GPUS = [device for device in devices().devices if device.kind == "nvidia"]
pytestmark = pytest.mark.skipif(not GPUS or not torch.cuda.is_available(), reason="no NVIDIA GPU that torch sees")

# out[i] = 2 · in[i] for the threads of one block
PTX = b"""
.version 7.8
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 .ptr .align 1 twice_param_0, .param .u64 .ptr .align 1 twice_param_1)
.maxntid 64, 1, 1
{
    .reg .b32 %r<2>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<8>;
    ld.param.b64 %rd1, [twice_param_0];
    ld.param.b64 %rd2, [twice_param_1];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.f32 %f1, [%rd6];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd7], %f2;
    ret;
}
"""


@pytest.fixture(scope="module")
def twice():
    return GPUS[0].load(CodeObject.read(PTX))


def test_a_kernel_reads_and_writes_torch_tensors_in_place(twice):
    source, target = torch.randn(64, device="cuda"), torch.full((64,), float("nan"), device="cuda")
    torch.cuda.synchronize()
    twice.launch("twice", 1, 64, (source, target))
    GPUS[0].synchronize()
    assert torch.equal(target, 2 * source)


def test_an_array_of_ours_is_torchs_without_a_copy(twice):
    ours = GPUS[0].array(np.arange(64, dtype="f4"))
    theirs = torch.from_dlpack(ours)
    assert theirs.data_ptr() == ours.pointer
    twice.launch("twice", 1, 64, (ours, ours))
    GPUS[0].synchronize()
    assert theirs.tolist() == [2.0 * i for i in range(64)]


def test_memory_outlives_our_handle_while_torch_holds_it():
    theirs = torch.from_dlpack(GPUS[0].array(np.full(1 << 20, 7, "f4")))
    others = [GPUS[0].array(np.zeros(1 << 20, "f4")) for _ in range(8)]
    assert bool((theirs == 7).all())
    assert len(others) == 8


def test_launches_go_to_torchs_stream(twice):
    stream = torch.cuda.Stream()
    GPUS[0].stream = stream.cuda_stream
    try:
        with torch.cuda.stream(stream):
            source = torch.randn(64, device="cuda")
            target = torch.empty_like(source)
            twice.launch("twice", 1, 64, (source, target))
            after = target + 1
        stream.synchronize()
    finally:
        GPUS[0].stream = 0
    assert torch.equal(after, 2 * source + 1)


def test_a_transposed_tensor_is_refused_not_copied(twice):
    with pytest.raises(LaunchError, match="contiguous"):
        twice.launch("twice", 1, 64, (torch.randn(8, 8, device="cuda").t(), torch.empty(64, device="cuda")))
