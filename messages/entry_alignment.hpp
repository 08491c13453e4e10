// SPDX-License-Identifier: MIT
// A successor of a translated stream replays it from its start; this tells
// which replayed entries the log has already (C5).
//
// Guarantees: exactly the remainder is appended, or nothing more is: a replay
// that does not reproduce the log is an error, and stays one.
// Threads: value type.
#pragma once

#include "messages/fingerprint.hpp"
#include "messages/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace baton {

class entry_alignment {
public:
  /// A bridge that wrote more between two entries of a stream than this is
  /// none: the replay is of another run.
  static constexpr std::size_t out_of_band_max = 64;

  enum class action : std::uint8_t {
    /// The log has it.
    suppress,
    /// It is new.
    append,
  };

  explicit entry_alignment(std::vector<entry_fingerprint> stored);

  /// Takes the next replayed entry. Failure: errc::mismatch with the details
  /// `difference` (`thread_id`, `content`, `out_of_band`), `index` of the
  /// stored entry from 0, and both fingerprints, `stored` and `replayed`.
  result<action> next(const entry_fingerprint& replayed);

  /// The replay ends here. Failure: errc::mismatch with `difference` `short`
  /// and the `index` of the first stored entry it lacks.
  status finish();

private:
  status refuse(std::string_view difference, std::size_t index,
                std::string_view replayed);

  std::vector<entry_fingerprint> stored_;
  /// The first stored entry not yet matched or skipped.
  std::size_t at_ = 0;
  status failed_;
};

} // namespace baton
