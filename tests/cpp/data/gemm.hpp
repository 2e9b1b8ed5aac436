// Test input, written for this project: layouts of the kinds that GEMM pipelines keep in LDS and registers.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_tile {

struct GemmLayouts
{
    static constexpr auto I0         = number<0>{};
    static constexpr auto I1         = number<1>{};
    static constexpr index_t kBanks  = 32;
    static constexpr index_t kVector = 8;

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr index_t GetKPack()
    {
        return 16 / sizeof(typename Problem::ADataType);
    }

    // K/8 slices of M rows, one spare row between the slices
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakePaddedA()
    {
        constexpr index_t M    = Problem::BlockGemmShape::kM;
        constexpr index_t K    = Problem::BlockGemmShape::kK;
        constexpr index_t Pack = GetKPack<Problem>();

        constexpr auto slices = make_naive_tensor_descriptor(
            make_tuple(number<K / Pack>{}, number<M>{}, number<Pack>{}),
            make_tuple(number<(M + 1) * Pack>{}, number<Pack>{}, number<1>{}),
            number<Pack>{},
            number<1>{});

        return transform_tensor_descriptor(
            slices,
            make_tuple(make_pass_through_transform(number<M>{}),
                       make_merge_transform(make_tuple(number<K / Pack>{}, number<Pack>{}))),
            make_tuple(sequence<1>{}, sequence<0, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    // several short rows share the banks; xor spreads them
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeSwizzledA()
    {
        using DataType = remove_cvref_t<typename Problem::ADataType>;

        constexpr index_t M  = Problem::BlockGemmShape::kM;
        constexpr index_t K  = Problem::BlockGemmShape::kK;
        constexpr auto Pack  = number<GetKPack<Problem>()>{};
        constexpr auto K0    = number<K / Pack>{};
        constexpr auto Layer = kBanks * 4 / K / sizeof(DataType) < 1 ? 1 : kBanks * 4 / K / sizeof(DataType);

        if constexpr(std::is_same_v<typename Problem::ALayout, tensor_layout::gemm::RowMajor>)
        {
            constexpr auto rows = make_naive_tensor_descriptor(
                make_tuple(K0 * number<Layer>{}, number<M / Layer>{}, Pack),
                make_tuple(Pack, number<K * Layer>{}, I1));

            constexpr auto swizzled = transform_tensor_descriptor(
                rows,
                make_tuple(make_xor_transform(make_tuple(number<M / Layer>{}, number<K0 * Layer>{})),
                           make_pass_through_transform(Pack)),
                make_tuple(sequence<1, 0>{}, sequence<2>{}),
                make_tuple(sequence<1, 0>{}, sequence<2>{}));

            constexpr auto layered = transform_tensor_descriptor(
                swizzled,
                make_tuple(make_unmerge_transform(make_tuple(number<Layer>{}, K0)),
                           make_pass_through_transform(number<M / Layer>{}),
                           make_pass_through_transform(Pack)),
                make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}),
                make_tuple(sequence<0, 2>{}, sequence<1>{}, sequence<3>{}));

            return transform_tensor_descriptor(
                layered,
                make_tuple(make_merge_transform_v3_division_mod(make_tuple(number<M / Layer>{}, number<Layer>{})),
                           make_merge_transform_v3_division_mod(make_tuple(K0, Pack))),
                make_tuple(sequence<1, 0>{}, sequence<2, 3>{}),
                make_tuple(sequence<0>{}, sequence<1>{}));
        }
        else
        {
            constexpr auto M0    = get_warp_size() * Problem::BlockGemmShape::BlockWarps::at(I0);
            constexpr auto M1    = M / M0;
            constexpr auto Write = Problem::kBlockSize / M0;
            constexpr auto Each  = K0 / Write;
            constexpr auto Read  = get_warp_size() / Problem::kMPerXdl;
            constexpr auto Fold  = Pack * M0 * sizeof(DataType) > 128 ? 1 : 128 / (Pack * M0 * sizeof(DataType));
            constexpr auto Pair  = 1;

            constexpr auto packed = make_naive_tensor_descriptor_packed(
                make_tuple(number<Write / Fold / Read>{}, number<Each>{}, number<Read * M1>{},
                           number<Fold * M0 / Pair>{}, number<Pair>{}, Pack));

            constexpr auto swizzled = transform_tensor_descriptor(
                packed,
                make_tuple(make_pass_through_transform(number<Write / Fold / Read>{}),
                           make_pass_through_transform(number<Each>{}),
                           make_xor_transform(make_tuple(number<Read * M1>{}, number<Fold * M0 / Pair>{})),
                           make_pass_through_transform(number<Pair>{}),
                           make_pass_through_transform(Pack)),
                make_tuple(sequence<0>{}, sequence<1>{}, sequence<2, 3>{}, sequence<4>{}, sequence<5>{}),
                make_tuple(sequence<0>{}, sequence<1>{}, sequence<2, 3>{}, sequence<4>{}, sequence<5>{}));

            constexpr auto unmerged = transform_tensor_descriptor(
                swizzled,
                make_tuple(make_pass_through_transform(number<Write / Fold / Read>{}),
                           make_pass_through_transform(number<Each>{}),
                           make_unmerge_transform(make_tuple(number<Read>{}, number<M1>{})),
                           make_unmerge_transform(make_tuple(number<Fold>{}, number<M0 / Pair>{})),
                           make_pass_through_transform(number<Pair>{}),
                           make_pass_through_transform(Pack)),
                make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}, sequence<4>{}, sequence<5>{}),
                make_tuple(sequence<1>{}, sequence<2>{}, sequence<0, 3>{}, sequence<4, 5>{}, sequence<6>{},
                           sequence<7>{}));

            return transform_tensor_descriptor(
                unmerged,
                make_tuple(make_merge_transform_v3_division_mod(
                               make_tuple(number<Read>{}, number<Write / Fold / Read>{}, number<Fold>{},
                                          number<Each>{}, Pack)),
                           make_merge_transform_v3_division_mod(
                               make_tuple(number<M0 / Pair>{}, number<Pair>{}, number<M1>{}))),
                make_tuple(sequence<0, 1, 4, 2, 7>{}, sequence<5, 6, 3>{}),
                make_tuple(sequence<1>{}, sequence<0>{}));
        }
    }

    // padding between the rows instead of xor
    template <typename Problem, index_t Pad = 8>
    CK_TILE_HOST_DEVICE static constexpr auto MakePaddedRowsA(number<Pad> = number<8>{})
    {
        constexpr index_t M     = Problem::BlockGemmShape::kM;
        constexpr index_t K     = Problem::BlockGemmShape::kK;
        constexpr index_t Pack  = GetKPack<Problem>();
        constexpr index_t Layer = max(1, kBanks * 4 / K / static_cast<index_t>(sizeof(typename Problem::ADataType)));

        constexpr auto rows = make_naive_tensor_descriptor(
            make_tuple(number<M / Layer>{}, number<K / Pack * Layer>{}, number<Pack>{}),
            make_tuple(number<K * Layer + Pad>{}, number<Pack>{}, number<1>{}));

        constexpr auto layered = transform_tensor_descriptor(
            rows,
            make_tuple(make_pass_through_transform(number<M / Layer>{}),
                       make_unmerge_transform(make_tuple(number<Layer>{}, number<K / Pack>{})),
                       make_pass_through_transform(number<Pack>{})),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}),
            make_tuple(sequence<0>{}, sequence<1, 2>{}, sequence<3>{}));

        return transform_tensor_descriptor(
            layered,
            make_tuple(make_merge_transform(make_tuple(number<M / Layer>{}, number<Layer>{})),
                       make_merge_transform(make_tuple(number<K / Pack>{}, number<Pack>{}))),
            make_tuple(sequence<0, 1>{}, sequence<2, 3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    // which lane loads what from global memory
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeGlobalDistribution()
    {
        constexpr index_t K1 = GetKPack<Problem>();
        constexpr index_t K0 = Problem::BlockGemmShape::kK / K1;
        constexpr index_t M2 = get_warp_size() / K0;
        constexpr index_t M1 = Problem::kBlockSize / get_warp_size();
        static_assert(M2 != 0 && M1 != 0);
        constexpr index_t M0 = Problem::BlockGemmShape::kM / (M2 * M1);

        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<M0, M1, M2>, sequence<K0, K1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 1>>{});
    }
};

// the transposition through LDS: written in vectors of 16 bytes, read in vectors of 8
struct TransposeLayouts
{
    template <typename Problem, index_t Bytes>
    CK_TILE_DEVICE static constexpr auto MakeBlock()
    {
        constexpr index_t S = Problem::kSecondSizePerBlock;
        constexpr index_t L = Problem::kLeadSizePerBlock;
        constexpr index_t V = Bytes / sizeof(typename Problem::DataType);

        constexpr auto block = make_naive_tensor_descriptor(make_tuple(number<S>{}, number<L / V>{}, number<V>{}),
                                                            make_tuple(number<L>{}, number<V>{}, number<1>{}));
        return transform_tensor_descriptor(
            block,
            make_tuple(make_pass_through_transform(number<S>{}),
                       make_merge_transform(make_tuple(number<L / V>{}, number<V>{}))),
            make_tuple(sequence<0>{}, sequence<1, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeStoreBlock()
    {
        return MakeBlock<Problem, 16>();
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeLoadBlock()
    {
        return MakeBlock<Problem, 8>();
    }
};

} // namespace ck_tile
