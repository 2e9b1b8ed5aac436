// Test input, written for this project: the same kinds of layouts in CK's own spelling, before CK Tile.
#pragma once

namespace ck {

struct OldLayouts
{
    static constexpr auto I0 = Number<0>{};
    static constexpr auto I1 = Number<1>{};
    static constexpr auto I2 = Number<2>{};

    // rows with a spare one, or swizzled
    template <index_t MPerBlock, index_t AK0, index_t AK1, bool ExtraM>
    __host__ __device__ static constexpr auto MakeA()
    {
        if constexpr(ExtraM)
        {
            return make_naive_tensor_descriptor(make_tuple(Number<AK0>{}, Number<MPerBlock>{}, Number<AK1>{}),
                                                make_tuple(Number<AK1>{}, Number<AK0 * AK1 + AK1>{}, I1));
        }
        else
        {
            constexpr auto packed = make_naive_tensor_descriptor(
                make_tuple(Number<AK0>{}, Number<MPerBlock>{}, Number<AK1>{}),
                make_tuple(Number<AK1>{}, Number<AK0 * AK1>{}, I1));
            return transform_tensor_descriptor(
                packed,
                make_tuple(make_xor_with_modulo_transform(make_tuple(Number<MPerBlock>{}, Number<AK0>{})),
                           make_pass_through_transform(Number<AK1>{})),
                make_tuple(Sequence<1, 0>{}, Sequence<2>{}),
                make_tuple(Sequence<1, 0>{}, Sequence<2>{}));
        }
    }

    // the same without modulo: the old name means something else than CK Tile's
    template <index_t MPerBlock, index_t AK0>
    __host__ __device__ static constexpr auto MakeXor()
    {
        return transform_tensor_descriptor(
            make_naive_tensor_descriptor_packed(make_tuple(Number<MPerBlock>{}, Number<AK0>{})),
            make_tuple(make_xor_transform(make_tuple(Number<MPerBlock>{}, Number<AK0>{}))),
            make_tuple(Sequence<0, 1>{}),
            make_tuple(Sequence<0, 1>{}));
    }

    // one row of the gradient: pad, take windows apart, keep one phase of the stride
    __host__ __device__ static auto MakeGradient(index_t N, index_t H, index_t C, index_t pad, index_t dilation,
                                                 index_t stride, index_t Dots, index_t Tildes, index_t i_tilde)
    {
        const auto rows   = make_naive_tensor_descriptor_packed(make_tuple(N, H, C));
        const auto padded = transform_tensor_descriptor(
            rows,
            make_tuple(make_pass_through_transform(N), make_pad_transform(H, pad, pad),
                       make_pass_through_transform(C)),
            make_tuple(Sequence<0>{}, Sequence<1>{}, Sequence<2>{}),
            make_tuple(Sequence<0>{}, Sequence<1>{}, Sequence<2>{}));
        const auto windows = transform_tensor_descriptor(
            padded,
            make_tuple(make_pass_through_transform(N),
                       make_embed_transform(make_tuple(stride, Dots, Tildes), make_tuple(dilation, dilation, stride)),
                       make_pass_through_transform(C)),
            make_tuple(Sequence<0>{}, Sequence<1>{}, Sequence<2>{}),
            make_tuple(Sequence<0>{}, Sequence<1, 2, 3>{}, Sequence<4>{}));
        return transform_tensor_descriptor(
            windows,
            make_tuple(make_pass_through_transform(N), make_freeze_transform(i_tilde),
                       make_slice_transform(Dots, 0, Dots), make_slice_transform(Tildes, 1, Tildes),
                       make_pass_through_transform(C)),
            make_tuple(Sequence<0>{}, Sequence<1>{}, Sequence<2>{}, Sequence<3>{}, Sequence<4>{}),
            make_tuple(Sequence<0>{}, Sequence<>{}, Sequence<1>{}, Sequence<2>{}, Sequence<3>{}));
    }
};

} // namespace ck
