// SPDX-License-Identifier: MIT
#include "actors/sim/last_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <unistd.h>

namespace baton::sim {
namespace {

/// Which seed it was that is under way.
volatile std::sig_atomic_t seed_high = 0;
volatile std::sig_atomic_t seed_low = 0;

struct deadly {
  int signal;
  std::string_view told;
};

constexpr std::array deaths{
  deadly{SIGABRT, ": stopped by a check\n"},
  deadly{SIGSEGV, ": crashed, SIGSEGV\n"},
  deadly{SIGBUS, ": crashed, SIGBUS\n"},
  deadly{SIGFPE, ": crashed, SIGFPE\n"},
  deadly{SIGILL, ": crashed, SIGILL\n"},
};

/// What was done with each of them before.
std::array<struct sigaction, deaths.size()> former_ways{};

/// A stack that has run over has no room to tell of it.
std::array<char, 1 << 16> spare_stack;

extern "C" void tell_seed(int signal, siginfo_t* why, void*) {
  auto death = std::ranges::find(deaths, signal, &deadly::signal);
  if (death == deaths.end())
    return;
  std::array<char, 64> text{'s', 'e', 'e', 'd', ' '};
  auto seed = std::uint64_t{static_cast<std::uint32_t>(seed_high)} << 32
              | static_cast<std::uint32_t>(seed_low);
  auto* end =
    std::to_chars(text.data() + 5, text.data() + text.size(), seed).ptr;
  end = std::copy(death->told.begin(), death->told.end(), end);
  if (::write(STDERR_FILENO, text.data(),
              static_cast<std::size_t>(end - text.data()))
      < 0)
    return;
  // The same death, as if nobody had looked: what the machine found it finds
  // again when this returns, and what was sent is sent again.
  ::sigaction(signal,
              &former_ways[static_cast<std::size_t>(death - deaths.begin())],
              nullptr);
  if (why->si_code <= 0)
    ::raise(signal);
}

} // namespace

last_words::last_words() {
  stack_t own{};
  own.ss_sp = spare_stack.data();
  own.ss_size = spare_stack.size();
  // Somebody else's is as good.
  if (::sigaltstack(nullptr, &former_stack_) == 0
      && (former_stack_.ss_flags & SS_DISABLE) != 0)
    ::sigaltstack(&own, nullptr);
  struct sigaction way {};
  way.sa_sigaction = tell_seed;
  way.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < deaths.size(); ++i)
    ::sigaction(deaths[i].signal, &way, &former_ways[i]);
}

last_words::~last_words() {
  for (std::size_t i = 0; i < deaths.size(); ++i)
    ::sigaction(deaths[i].signal, &former_ways[i], nullptr);
  ::sigaltstack(&former_stack_, nullptr);
}

void last_words::name(std::uint64_t seed) noexcept {
  seed_high = static_cast<std::sig_atomic_t>(seed >> 32);
  seed_low = static_cast<std::sig_atomic_t>(seed);
}

} // namespace baton::sim
