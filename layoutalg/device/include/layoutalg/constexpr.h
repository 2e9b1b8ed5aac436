// Headers of CK's behind this one have their functions as constexpr, whether CK says so or not: what builds a descriptor of
// numbers is then a constant.  constexpr says where a function may be called, and nothing of what it returns.
#pragma once

#undef CK_TILE_HOST
#undef CK_TILE_HOST_DEVICE
#define CK_TILE_HOST constexpr inline __attribute__((host))
#define CK_TILE_HOST_DEVICE constexpr inline __attribute__((host, device))
