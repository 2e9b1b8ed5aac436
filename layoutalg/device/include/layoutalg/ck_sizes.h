// Sizes that are not fixed, in CK's own templates.
//
//   make_naive_tensor_descriptor(make_tuple(M, number<64>{}), make_tuple(number<64>{}, number<1>{}))   // M: layoutalg::Size
//
// A length may be of any type there, so a size goes through where `index_t` would; where CK says `index_t` outright, or
// compares sizes that nothing limits, it does not compile.
#pragma once

#include "layoutalg/size.h"

// A merge divides by magic numbers, which no open size has; of these it keeps its lengths, which are what is read.
#ifndef LAYOUTALG_CK_STUB
namespace ck_tile {
template <class... T>
struct tuple;
template <class>
struct merge_v2_magic_division;
template <class>
struct merge_v3_division_mod;
template <class... T>
  requires(layoutalg::has_size<T...>)
struct merge_v2_magic_division<tuple<T...>> : merge_v3_division_mod<tuple<T...>> {
  using merge_v3_division_mod<tuple<T...>>::merge_v3_division_mod;
};
}  // namespace ck_tile
#endif
