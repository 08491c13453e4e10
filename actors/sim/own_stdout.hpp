// SPDX-License-Identifier: MIT
// The program's stdout. Kept `apart`, all else that is printed there goes to
// stderr meanwhile: what actors say, CAF's among them, is no JSON.
// Requires: one at a time.
#pragma once

#include <cstdio>

namespace baton::sim {

class own_stdout {
public:
  explicit own_stdout(bool apart);
  ~own_stdout();

  own_stdout(const own_stdout&) = delete;
  own_stdout& operator=(const own_stdout&) = delete;

  std::FILE* file() const { return file_ == nullptr ? stdout : file_; }

private:
  int kept_ = -1;
  /// Null: it is no other.
  std::FILE* file_ = nullptr;
};

} // namespace baton::sim
