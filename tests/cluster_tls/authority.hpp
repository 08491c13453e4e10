// SPDX-License-Identifier: MIT
// A certificate authority of the test's own, made with the openssl command as
// the README tells operators to.
// Failure: what cannot be made is thrown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

class authority {
public:
  /// Its files lie in `folder`, which must exist, and begin with `name`.
  authority(std::string folder, std::string name);

  /// Makes NAME.key and NAME.pem in the folder; `days` below 0: a certificate
  /// that has expired.
  void issue(const std::string& name, int days = 1) const;

  std::string certificate() const { return path_of(name_, ".pem"); }
  std::string path_of(const std::string& name, std::string_view ending) const;

  /// batond's flags for the certificate NAME, which trusts `trusted`.
  std::vector<std::string> flags(const std::string& name,
                                 const authority& trusted) const;
  std::vector<std::string> flags(const std::string& name) const {
    return flags(name, *this);
  }

private:
  std::string folder_;
  std::string name_;
};

} // namespace baton::test
