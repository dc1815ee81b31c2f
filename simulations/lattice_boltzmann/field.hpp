#pragma once

namespace heddle::lbm {

enum class field { velocity, vorticity, density };
inline constexpr field fields[] = {field::velocity, field::vorticity, field::density};
const char* name(field of) noexcept;

}  // namespace heddle::lbm
