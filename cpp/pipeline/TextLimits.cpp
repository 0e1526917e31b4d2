// Rejects IR text that would crash MLIR's parser, which is recursive and trusts some numbers.
#include "TextLimits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;
using llvm::Twine;

namespace dovetail {

/// The parser's stack has room for several times as many nested brackets.
static constexpr unsigned kDeepest = 1000;
/// The parser allocates as many results of an op as the number in a use of it.
static constexpr uint64_t kMostResults = 1 << 20;

/// Skips what is not a token: comments, and strings, which may contain anything. Returns its end, or `at` if there is
/// none.
static size_t skipOpaque(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  return std::min(at + 1, text.size());
}

/// A name, with everything that can be part of one.
static StringRef nameAt(StringRef text, size_t at) {
  return text.substr(at).take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'; });
}

/// The position, in the list that starts at `at`, of an invalid iterator type: an unquoted `linalg.generic` accepts any
/// string.
static std::optional<size_t> findBadIterator(StringRef text, size_t at, bool isQuoted) {
  StringRef rest = text.substr(at).ltrim();
  if (!rest.consume_front("=") || !(rest = rest.ltrim()).consume_front("["))
    return std::nullopt;
  while (true) {
    rest = rest.ltrim(" \t\n\r,");
    if (rest.empty() || rest.starts_with("]"))
      return std::nullopt;
    bool isType = isQuoted && rest.starts_with("#linalg.iterator_type<");
    if (!isType && !rest.starts_with("\""))
      return text.size() - rest.size();
    size_t end = isType ? rest.find('>') + 1 : skipOpaque(rest, 0);
    rest = rest.substr(std::max<size_t>(end, 1));
  }
}

std::optional<TextFault> findFault(StringRef text) {
  unsigned depth = 0;
  // Whether the last `linalg.generic` was quoted, in the generic form, or there was none.
  bool isQuoted = true;
  for (size_t at = 0; at < text.size();) {
    if (size_t end = skipOpaque(text, at); end != at) {
      isQuoted = isQuoted || text.slice(at, end) == "\"linalg.generic\"";
      at = end;
      continue;
    }
    char c = text[at];
    if (llvm::isAlpha(c) || c == '_') {
      StringRef name = nameAt(text, at);
      // The parser queries the width of a type that has none.
      if (name == "array" && text.substr(at + name.size()).ltrim().consume_front("<")) {
        StringRef element = text.substr(text.find('<', at) + 1).ltrim();
        if (nameAt(element, 0) == "index")
          return TextFault{at, "an array attribute must have elements of integer or float type, got: index"};
      }
      isQuoted = isQuoted && name != "linalg.generic";
      if (name == "iterator_types") {
        if (std::optional<size_t> bad = findBadIterator(text, at + name.size(), isQuoted))
          return TextFault{*bad, "iterator types must be strings"};
        isQuoted = true;
      }
      at += name.size();
      continue;
    }
    if (c == '%' || c == '@' || c == '!' || c == '^') {
      at += 1 + nameAt(text, at + 1).size();
      StringRef number = text.substr(at);
      uint64_t result;
      if (c == '%' && number.consume_front("#") && !number.consumeInteger(10, result) && result >= kMostResults)
        return TextFault{
            at, ("the number of a result must be less than " + Twine(kMostResults) + ", got: " + Twine(result)).str()};
      continue;
    }
    bool isArrow = c == '>' && at > 0 && text[at - 1] == '-';
    if (c == '(' || c == '[' || c == '{' || c == '<')
      ++depth;
    else if ((c == ')' || c == ']' || c == '}' || c == '>') && !isArrow && depth > 0)
      --depth;
    if (depth > kDeepest)
      return TextFault{at, ("brackets must not be nested deeper than " + Twine(kDeepest)).str()};
    ++at;
  }
  return std::nullopt;
}

} // namespace dovetail
