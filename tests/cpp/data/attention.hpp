// Test input, written for this project: layouts of the kinds that attention pipelines keep in LDS.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_tile {

template <bool AsyncCopy_, index_t Buffers_>
struct AttentionLayouts
{
    static constexpr bool AsyncCopy  = AsyncCopy_;
    static constexpr index_t Buffers = Buffers_;

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr index_t Pack()
    {
        return 16 / sizeof(remove_cvref_t<typename Problem::KDataType>);
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr index_t Vector()
    {
        if constexpr(AsyncCopy)
            return 4 / sizeof(typename Problem::KDataType);
        else
            return 16 / sizeof(typename Problem::KDataType);
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr index_t BufferSize()
    {
        constexpr index_t Padded = get_warp_size() * Vector<Problem>() + Pack<Problem>();
        constexpr index_t Groups = get_warp_size() / (Problem::Shape::kK / Vector<Problem>());
        return Problem::Shape::kN / (Groups * Problem::Shape::NumWarps) * Problem::Shape::NumWarps * Padded;
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeQuery()
    {
        constexpr index_t N = Problem::Shape::kN;
        constexpr index_t K = Problem::Shape::kK;
        constexpr index_t P = Pack<Problem>();

        constexpr auto slices =
            make_naive_tensor_descriptor(make_tuple(number<K / P>{}, number<N>{}, number<P>{}),
                                         make_tuple(number<(N + 1) * P>{}, number<P>{}, number<1>{}), number<8>{});
        return transform_tensor_descriptor(
            slices,
            make_tuple(make_pass_through_transform(number<N>{}),
                       make_merge_transform(make_tuple(number<K / P>{}, number<P>{}))),
            make_tuple(sequence<1>{}, sequence<0, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    // as the asynchronous copy writes: warp by warp, a pad after each
    template <typename Problem, index_t IBuf = 0>
    CK_TILE_HOST_DEVICE static constexpr auto MakeKeyStore(number<IBuf> = number<0>{})
    {
        constexpr index_t K      = Problem::Shape::kK;
        constexpr index_t Warps  = Problem::Shape::NumWarps;
        constexpr index_t V      = Vector<Problem>();
        constexpr index_t Padded = get_warp_size() * V + Pack<Problem>();
        constexpr index_t Lanes  = K / V;
        constexpr index_t Groups = get_warp_size() / Lanes;
        constexpr index_t Issues = Problem::Shape::kN / (Groups * Warps);
        static_assert(get_warp_size() * V >= K && get_warp_size() * V % K == 0);

        constexpr auto issues = make_naive_tensor_descriptor_with_offset(
            make_tuple(number<Issues>{}, number<Groups>{}, number<Warps>{}, number<Lanes>{}, number<V>{}),
            make_tuple(number<Warps * Padded>{}, number<K>{}, number<Padded>{}, number<V>{}, number<1>{}),
            number<IBuf * BufferSize<Problem>()>{},
            number<V>{},
            number<1>{});

        return transform_tensor_descriptor(
            issues,
            make_tuple(make_pass_through_transform(number<Issues>{}),
                       make_pass_through_transform(number<Warps>{}),
                       make_merge_transform(make_tuple(number<Groups>{}, number<Lanes>{}, number<V>{}))),
            make_tuple(sequence<0>{}, sequence<2>{}, sequence<1, 3, 4>{}),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}));
    }

    // as the matrix instructions read the same words: by key and channel, buffer after buffer
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeKeyLoad()
    {
        constexpr index_t K      = Problem::Shape::kK;
        constexpr index_t Warps  = Problem::Shape::NumWarps;
        constexpr index_t P      = Pack<Problem>();
        constexpr index_t V      = Vector<Problem>();
        constexpr index_t Padded = get_warp_size() * V + P;
        constexpr index_t Groups = get_warp_size() / (K / V);
        constexpr index_t Issues = Problem::Shape::kN / (Groups * Warps);

        constexpr auto buffers = make_naive_tensor_descriptor(
            make_tuple(number<Buffers>{}, number<Issues>{}, number<Warps>{}, number<Groups>{}, number<K / P>{},
                       number<P>{}),
            make_tuple(number<BufferSize<Problem>()>{}, number<Warps * Padded>{}, number<Padded>{}, number<K>{},
                       number<P>{}, number<1>{}));

        return transform_tensor_descriptor(
            buffers,
            make_tuple(make_merge_transform(
                           make_tuple(number<Buffers>{}, number<Issues>{}, number<Groups>{}, number<Warps>{})),
                       make_merge_transform(make_tuple(number<K / P>{}, number<P>{}))),
            make_tuple(sequence<0, 1, 3, 2>{}, sequence<4, 5>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    // values: rows of 32 banks, a pack between them
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeValue()
    {
        constexpr index_t N     = Problem::Shape::kN;
        constexpr index_t K     = Problem::Shape::kK;
        constexpr index_t P     = Pack<Problem>();
        constexpr index_t Row   = 32 * 4 / sizeof(typename Problem::KDataType);
        constexpr index_t InRow = Row / P;
        static_assert(N % InRow == 0 && K % P == 0);
        constexpr index_t One = (K / P) * (N / InRow) * (Row + P);

        constexpr auto rows = make_naive_tensor_descriptor(
            make_tuple(number<Buffers>{}, number<K / P>{}, number<N / InRow>{}, number<InRow>{}, number<P>{}),
            make_tuple(number<One>{}, number<(N / InRow) * (Row + P)>{}, number<Row + P>{}, number<P>{}, number<1>{}));

        return transform_tensor_descriptor(
            rows,
            make_tuple(make_merge_transform(make_tuple(number<Buffers>{}, number<N / InRow>{}, number<InRow>{})),
                       make_merge_transform(make_tuple(number<K / P>{}, number<P>{}))),
            make_tuple(sequence<0, 2, 3>{}, sequence<1, 4>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }
};

} // namespace ck_tile
