// SPDX-License-Identifier: MIT
// Our providers for the conformance kit, each on folders of its own.
#pragma once

#include "actors/sandbox/bwrap_provider.hpp"
#include "actors/sandbox/provider_conformance.hpp"
#include "tests/storage/temp_dir.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace baton::sandbox::test {

using opener = std::function<std::unique_ptr<provider>(const std::string&)>;

template <class T>
std::unique_ptr<provider> opened(result<std::unique_ptr<T>> got) {
  if (!got)
    throw std::runtime_error(got.error().message);
  return std::move(*got);
}

inline std::unique_ptr<provider> open_local(const std::string& root) {
  return opened(local_provider::open({root, BATON_BIN_DIR "/baton-shim"}));
}

inline std::unique_ptr<provider> open_bwrap(const std::string& root) {
  bwrap_options options;
  options.where = {root, BATON_BIN_DIR "/baton-shim"};
  return opened(bwrap_provider::open(std::move(options)));
}

class folder_maker : public provider_maker {
public:
  explicit folder_maker(opener open) : open_(std::move(open)) {}

  std::unique_ptr<provider> make() override {
    roots_ += 1;
    return again();
  }
  std::unique_ptr<provider> again() override {
    return open_(folder_ / ("root" + std::to_string(roots_)));
  }
  std::string shared_folder() override { return folder_ / "shared"; }

private:
  opener open_;
  baton::test::temp_dir folder_;
  int roots_ = 0;
};

} // namespace baton::sandbox::test
