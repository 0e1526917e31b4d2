// Conversions between f32 and narrower floats.
#ifndef DOVETAIL_COLLECTIVES_NARROW_H
#define DOVETAIL_COLLECTIVES_NARROW_H

#include <array>
#include <cstdint>
#include <cstring>

namespace dovetail::collectives {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Converts bf16.
struct BFloat16 {
  using Stored = uint16_t;

  static float widen(uint16_t stored) { return floatOf(uint32_t(stored) << 16); }
  static uint16_t narrow(float value) {
    uint32_t bits = bitsOf(value);
    // Rounded to nearest even by carries; a NaN stays one.
    return value != value ? (bits >> 16) | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
};

/// Converts f16.
struct Float16 {
  using Stored = uint16_t;

  static float widen(uint16_t stored) {
    // As the exponent of an f32, that of an f16 is too small by the difference of the biases.
    uint32_t magnitude = uint32_t(stored & 0x7fff) << 13;
    float scaled = floatOf(magnitude) * 0x1p112f;
    uint32_t bits = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : bitsOf(scaled);
    return floatOf(bits | uint32_t(stored & 0x8000) << 16);
  }
  static uint16_t narrow(float value) {
    uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffff;
    // Normal numbers are rounded by carries, subnormal ones by an addition whose last bit is theirs.
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
    uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x477ff000 ? 0x7c00 : result;
    result = magnitude > 0x7f800000 ? 0x7e00 : result;
    return result | (bits >> 16 & 0x8000);
  }
};

/// A float format of a byte or less.
struct SmallFormat {
  enum Special {
    /// Infinities and NaNs as in IEEE 754.
    Ieee,
    /// The greatest pattern is a NaN.
    OneNan,
    /// The pattern of -0 is the NaN.
    NoNegativeZero,
    /// No NaN.
    Finite,
    /// Powers of two, and a NaN.
    PowersOfTwo,
  };

  int width, fractionBits, bias;
  Special special;

  constexpr uint32_t sign() const { return 1u << (width - 1); }
  constexpr uint32_t largest() const { return sign() - 1; }
  constexpr uint32_t infinity() const { return sign() - (1u << fractionBits); }
  /// Where there is none, the other zero.
  constexpr uint32_t nan() const {
    if (special == PowersOfTwo)
      return 0xff;
    if (special == Ieee)
      return infinity() | 1u << (fractionBits - 1);
    return special == OneNan ? largest() : sign();
  }
  /// The magnitude of everything that is too large.
  constexpr uint32_t overflow() const { return special == Ieee ? infinity() : special == Finite ? largest() : nan(); }

  float widen(uint8_t stored) const;

  uint8_t narrow(float value) const {
    uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffff;
    if (special == PowersOfTwo) {
      // The nearest power of two, the upper one on a tie.
      uint32_t exponent = bits < 0x00800000 ? bits > 0x00400000 : (bits + 0x00400000) >> 23;
      return bits - 1 < 0x7f7fffff ? exponent : nan();
    }
    // Normal numbers are rounded to nearest even by carries, subnormal ones by an addition whose last bit is theirs.
    int shift = 23 - fractionBits;
    uint32_t rounded = magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1);
    uint32_t normal = (rounded >> shift) - (uint32_t(127 - bias) << fractionBits);
    uint32_t unit = uint32_t(127 + 23 + 1 - bias - fractionBits) << 23;
    uint32_t subnormal = bitsOf(floatOf(magnitude) + floatOf(unit)) - unit;
    uint32_t result = magnitude < uint32_t(128 - bias) << 23 ? subnormal : normal;
    result = result < overflow() ? result : overflow();
    uint32_t signedResult = result | (bits >> 31) << (width - 1);
    if (special == NoNegativeZero)
      signedResult = result & largest() ? signedResult : result;
    uint32_t ofNan = special == Ieee || special == OneNan ? nan() | (bits >> 31) << (width - 1) : nan();
    return magnitude > 0x7f800000 ? ofNan : signedResult;
  }
};

constexpr SmallFormat kSmallFormats[] = {
    {4, 1, 1, SmallFormat::Finite},         {6, 3, 1, SmallFormat::Finite},
    {6, 2, 3, SmallFormat::Finite},         {8, 4, 3, SmallFormat::Ieee},
    {8, 3, 7, SmallFormat::Ieee},           {8, 3, 7, SmallFormat::OneNan},
    {8, 3, 8, SmallFormat::NoNegativeZero}, {8, 3, 11, SmallFormat::NoNegativeZero},
    {8, 2, 15, SmallFormat::Ieee},          {8, 2, 16, SmallFormat::NoNegativeZero},
    {8, 0, 127, SmallFormat::PowersOfTwo},
};

/// Converts the format of that number in `kSmallFormats`.
template <int number>
struct SmallFloat {
  using Stored = uint8_t;

  static float widen(uint8_t stored) {
    static const std::array<float, 256> table = [] {
      std::array<float, 256> values;
      for (int i = 0; i < 256; ++i)
        values[i] = kSmallFormats[number].widen(i);
      return values;
    }();
    return table[stored];
  }
  static uint8_t narrow(float value) { return kSmallFormats[number].narrow(value); }
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_NARROW_H
