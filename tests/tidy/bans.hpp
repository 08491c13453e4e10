// SPDX-License-Identifier: MIT
// Calls and phrases the tree does without, where, and what to use instead.
// Most would make a run of the simulator depend on something but its seed.
#pragma once

#include "tests/tidy/source_file.hpp"

#include <array>
#include <string_view>

namespace baton::tidy {

enum class place { anywhere, headers, libraries, libraries_and_tests };

struct ban {
  /// Found as C++ tokens: blanks do not matter, parts of words do not match.
  std::string_view text;
  place where;
  std::string_view instead;

  bool covers(const source_file& f) const {
    auto library =
      f.under("messages") || f.under("storage") || f.under("actors");
    switch (where) {
    case place::anywhere:
      return true;
    case place::headers:
      return f.is(".hpp");
    case place::libraries:
      return library;
    case place::libraries_and_tests:
      return library || f.under("tests");
    }
    return false;
  }
};

inline constexpr std::string_view use_clock =
  "take the time as an argument, or from actors/clock.hpp";
inline constexpr std::string_view use_random =
  "take random bytes from the environment of actors/clock.hpp";
inline constexpr std::string_view use_wait =
  "wait for what you need, with a deadline, or for a delayed message";

inline constexpr std::array bans{
  ban{"system_clock::now", place::libraries, use_clock},
  ban{"steady_clock::now", place::libraries, use_clock},
  ban{"high_resolution_clock", place::anywhere, "use steady_clock"},
  ban{"clock_gettime", place::libraries, use_clock},
  ban{"gettimeofday", place::anywhere, use_clock},
  ban{"std::time(", place::anywhere, use_clock},
  ban{"random_device", place::libraries, use_random},
  ban{"rand(", place::anywhere, use_random},
  ban{"srand(", place::anywhere, use_random},
  ban{"RAND_bytes", place::libraries, use_random},
  ban{"getrandom", place::libraries, use_random},
  ban{"sleep_for", place::libraries_and_tests, use_wait},
  ban{"sleep_until", place::libraries_and_tests, use_wait},
  ban{"usleep(", place::libraries_and_tests, use_wait},
  ban{"nanosleep(", place::libraries_and_tests, use_wait},
  ban{"sleep(", place::libraries_and_tests, use_wait},
  ban{"getenv", place::libraries, "read it in apps/ and pass the value"},
  ban{"std::thread", place::libraries,
      "an actor, or an allowance that says who joins it"},
  ban{"std::jthread", place::libraries,
      "an actor, or an allowance that says who joins it"},
  ban{"assert(", place::anywhere, "BATON_CHECK, which is always on"},
  ban{"CAF_ASSERT(", place::anywhere, "BATON_CHECK, which is always on"},
  ban{"catch (...)", place::anywhere,
      "catch what the called library documents, and say what follows"},
  ban{"using namespace", place::headers, "write the names out"},
};

} // namespace baton::tidy
