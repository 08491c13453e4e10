// SPDX-License-Identifier: MIT
// batond: a node. Parses its settings, serves, and tells in one line why not.
#include "apps/batond/daemon.hpp"
#include "apps/settings/settings.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

/// Before any thread exists, so that every thread inherits the mask.
void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Each run, viewer and store file holds a descriptor; the soft limit of most
/// systems is made for programs that use select().
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

/// Left alone, the C library gives each thread a heap of its own, which none
/// of the others can use when it is idle, and learns to keep large buffers.
/// With 50 viewers that do not read, one heap instead took the growth at its
/// peak from 51 to 38 MB (one run each, on a busy machine).
void bound_heaps() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

} // namespace

int main(int argc, char** argv) {
  bound_heaps();
  baton::settings_input input;
  input.args.assign(argv + 1, argv + argc);
  for (auto** entry = environ; *entry != nullptr; ++entry) {
    std::string text{*entry};
    if (auto at = text.find('='); at != std::string::npos)
      input.env.emplace(text.substr(0, at), text.substr(at + 1));
  }
  input.read_file = baton::read_text_file;
  auto answer = baton::parse_settings(input);
  if (!answer)
    return baton::tell_refusal(answer.error());
  if (!answer->text.empty()) {
    std::fputs(answer->text.c_str(), stdout);
    return 0;
  }
  block_signals();
  raise_descriptor_limit();
  // The runtime throws where the system gives it no thread or no memory.
  try {
    if (auto why = baton::serve(answer->values); !why.ok())
      return baton::tell_refusal(why);
  } catch (const std::exception& error) {
    return baton::tell_refusal(baton::make_status(
      baton::errc::unavailable,
      std::string{"cannot start: "} + error.what()
        + "; raise the limits on memory and processes, then start again"));
  }
  return 0;
}
