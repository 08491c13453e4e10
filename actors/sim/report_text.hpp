// SPDX-License-Identifier: MIT
// The words of a picture.
// Guarantees: what comes out of escaped() is well-formed in XML text and in
// quoted attributes, whatever bytes an agent wrote: markup is escaped, bytes
// that are no UTF-8 and characters that change direction are replaced, control
// characters are shown by their pictures.
// Threads: pure functions.
#pragma once

#include "actors/sim/report_layout.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::sim {

/// At most `chars_max` characters; more are cut and end in an ellipsis.
std::string escaped(std::string_view bytes, std::size_t chars_max = 4'096);

/// "3.104250 s"; `digits` behind the point, up to 6, are kept.
std::string seconds(std::int64_t us, int digits = 3);

/// What is true of it where it stands. A driver's patience is its own affair:
/// that it gave an answer up is seen when it asks anew.
std::string_view text_of(const event& x) noexcept;

/// Escaped: a few words beside the mark, empty where its shape says it all.
std::string label_of(const trace& story, const report_mark& m,
                     std::size_t chars_max);

/// Escaped: all there is to know, in one sentence.
std::string sentence_of(const trace& story, const report_layout& where,
                        const report_mark& m);

} // namespace baton::sim
