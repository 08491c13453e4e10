// SPDX-License-Identifier: MIT
// Base64 (RFC 4648, the standard alphabet with padding), for bytes in JSON and
// for journals read through a shell.
// Threads: value types.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

/// One line, padded.
std::string base64_encode(std::string_view bytes);

/// Decodes a frame that arrives in chunks, cut anywhere, its lines wrapped
/// anywhere with LF or CR LF.
/// Guarantees: equal frames give equal bytes, however they are cut; a frame
/// that is accepted has one possible content (stray bits are refused).
/// Failure: errc::malformed, then again for every later call; `out` keeps what
/// was decoded before.
class base64_decoder {
public:
  /// Appends the bytes of every quantum that is complete.
  status feed(std::string_view chunk, std::string& out);

  /// The frame ends here: an error in mid-quantum, never fewer bytes (B7).
  status finish() const;

private:
  status refuse(std::string why);

  std::uint32_t bits_ = 0;
  /// Characters of the open quantum, padding included.
  unsigned count_ = 0;
  unsigned padding_ = 0;
  /// Characters seen, for messages.
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  status failed_;
};

/// A whole frame at once.
result<std::string> base64_decode(std::string_view frame);

} // namespace baton
