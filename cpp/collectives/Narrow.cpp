// Decoding of floats of 8 bits or less.
#include "Narrow.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace dovetail::collectives {

float SmallFormat::widen(uint8_t stored) const {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  if (special == PowersOfTwo)
    return stored == nan() ? kNan : std::ldexp(1.0f, stored - bias);
  uint32_t magnitude = stored & largest();
  bool isNegative = stored & sign();
  if (special == Ieee && magnitude >= infinity())
    return magnitude > infinity() ? kNan : isNegative ? -kInfinity : kInfinity;
  if ((special == OneNan && magnitude == nan()) || (special == NoNegativeZero && stored == nan()))
    return kNan;
  int exponent = std::max<int>(magnitude >> fractionBits, 1);
  uint32_t fraction = magnitude - (uint32_t(exponent - 1) << fractionBits);
  float value = std::ldexp(static_cast<float>(fraction), exponent - bias - fractionBits);
  return isNegative ? -value : value;
}

} // namespace dovetail::collectives
