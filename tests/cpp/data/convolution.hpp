// Test input, written for this project: convolutions and contractions as matrix products over global memory.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_tile {

struct ImageToColumn
{
    // (n·ho·wo, y·x·c) of an image n h w c; windows overlap, and the border is padding
    // claims: in_bounds, fits_index(64)
    CK_TILE_HOST static auto MakeColumns(index_t N, index_t H, index_t W, index_t C, index_t Y, index_t X,
                                         index_t stride, index_t dilation, index_t pad)
    {
        const index_t Ho = (H + 2 * pad - dilation * (Y - 1) - 1) / stride + 1;
        const index_t Wo = (W + 2 * pad - dilation * (X - 1) - 1) / stride + 1;

        const auto image =
            make_naive_tensor_descriptor(make_tuple(N, H, W, C), make_tuple(H * W * C, W * C, C, 1));

        const auto padded = transform_tensor_descriptor(
            image,
            make_tuple(make_pass_through_transform(N), make_pad_transform(H, pad, pad),
                       make_pad_transform(W, pad, pad), make_pass_through_transform(C)),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}));

        const auto windows = transform_tensor_descriptor(
            padded,
            make_tuple(make_pass_through_transform(N),
                       make_embed_transform(make_tuple(Y, Ho), make_tuple(dilation, stride)),
                       make_embed_transform(make_tuple(X, Wo), make_tuple(dilation, stride)),
                       make_pass_through_transform(C)),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
            make_tuple(sequence<0>{}, sequence<1, 2>{}, sequence<3, 4>{}, sequence<5>{}));

        return transform_tensor_descriptor(
            windows,
            make_tuple(make_merge_transform(make_tuple(N, Ho, Wo)), make_merge_transform(make_tuple(Y, X, C))),
            make_tuple(sequence<0, 2, 4>{}, sequence<1, 3, 5>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    // a 1 by 1 filter with stride and without padding needs no windows
    CK_TILE_HOST static auto MakePointwise(index_t N, index_t H, index_t W, index_t C, index_t stride)
    {
        const index_t Ho = (H - 1) / stride + 1;
        const index_t Wo = (W - 1) / stride + 1;
        const auto image = make_naive_tensor_descriptor(make_tuple(N, H, W, C), make_tuple(H * W * C, W * C, C, 1));
        const auto strided = transform_tensor_descriptor(
            image,
            make_tuple(make_pass_through_transform(N), make_embed_transform(make_tuple(Ho), make_tuple(stride)),
                       make_embed_transform(make_tuple(Wo), make_tuple(stride)), make_pass_through_transform(C)),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}));
        return transform_tensor_descriptor(strided,
                                           make_tuple(make_merge_transform(make_tuple(N, Ho, Wo)),
                                                      make_pass_through_transform(C)),
                                           make_tuple(sequence<0, 1, 2>{}, sequence<3>{}),
                                           make_tuple(sequence<0>{}, sequence<1>{}));
    }
};

// several m and several k dimensions, each group merged
struct Contraction
{
    template <index_t NumM, index_t NumK, typename Lengths, typename Strides>
    CK_TILE_HOST static auto MakeMatrix(const Lengths& lengths, const Strides& strides)
    {
        const auto tensor = make_naive_tensor_descriptor(lengths, strides);
        const auto ms     = generate_tuple([&](auto i) { return lengths[i]; }, number<NumM>{});
        const auto ks     = generate_tuple([&](auto i) { return lengths[number<i + NumM>{}]; }, number<NumK>{});
        return transform_tensor_descriptor(tensor,
                                           make_tuple(make_merge_transform(ms), make_merge_transform(ks)),
                                           make_tuple(typename arithmetic_sequence_gen<0, NumM, 1>::type{},
                                                      typename arithmetic_sequence_gen<NumM, NumM + NumK, 1>::type{}),
                                           make_tuple(sequence<0>{}, sequence<1>{}));
    }
};

// eight dimensions in any order, read as one
struct Permutation
{
    template <typename Lengths, typename Strides>
    CK_TILE_HOST static auto MakeSource(const Lengths& lengths, const Strides& strides)
    {
        const auto source = make_naive_tensor_descriptor(lengths, strides);
        return transform_tensor_descriptor(source, make_tuple(make_merge_transform(lengths)),
                                           make_tuple(typename arithmetic_sequence_gen<0, 8, 1>::type{}),
                                           make_tuple(sequence<0>{}));
    }
};

} // namespace ck_tile
