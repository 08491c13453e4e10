// SPDX-License-Identifier: MIT
#include "actors/sim/own_stdout.hpp"

#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace baton::sim {
namespace {

void flush() {
  std::cout.flush();
  std::fflush(stdout);
}

} // namespace

own_stdout::own_stdout(bool apart) {
  if (!apart)
    return;
  flush();
  kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  file_ = kept_ < 0 ? nullptr : ::fdopen(kept_, "w");
  if (file_ != nullptr)
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

own_stdout::~own_stdout() {
  if (file_ == nullptr)
    return;
  flush();
  std::fflush(file_);
  ::dup2(kept_, STDOUT_FILENO);
  std::fclose(file_);
}

} // namespace baton::sim
