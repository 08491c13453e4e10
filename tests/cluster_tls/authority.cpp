// SPDX-License-Identifier: MIT
#include "tests/cluster_tls/authority.hpp"

#include "tests/support/process.hpp"

#include <stdexcept>
#include <utility>

namespace baton::test {
namespace {

void openssl(std::vector<std::string> args) {
  args.insert(args.begin(), {"/usr/bin/env", "openssl"});
  process command{args, {.env = {"PATH=/usr/local/bin:/usr/bin:/bin"}}};
  if (auto done = command.wait(); done.exit != 0)
    throw std::runtime_error{"openssl " + args[2] + ": " + done.err};
}

} // namespace

authority::authority(std::string folder, std::string name)
  : folder_(std::move(folder)), name_(std::move(name)) {
  openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt",
           "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
           "/CN=" + name_, "-keyout", path_of(name_, ".key"), "-out",
           path_of(name_, ".pem")});
}

void authority::issue(const std::string& name, int days) const {
  openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
           "-nodes", "-subj", "/CN=" + name, "-keyout", path_of(name, ".key"),
           "-out", path_of(name, ".csr")});
  openssl({"x509", "-req", "-in", path_of(name, ".csr"), "-CA",
           path_of(name_, ".pem"), "-CAkey", path_of(name_, ".key"),
           "-CAcreateserial", "-days", std::to_string(days), "-out",
           path_of(name, ".pem")});
}

std::string authority::path_of(const std::string& name,
                               std::string_view ending) const {
  return folder_ + "/" + name + std::string{ending};
}

std::vector<std::string> authority::flags(const std::string& name,
                                          const authority& trusted) const {
  return {"--tls-cert", path_of(name, ".pem"),
          "--tls-key",  path_of(name, ".key"),
          "--tls-ca",   trusted.certificate()};
}

} // namespace baton::test
