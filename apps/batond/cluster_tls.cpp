// SPDX-License-Identifier: MIT
#include "apps/batond/cluster_tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <unistd.h>

namespace baton {
namespace {

status failed(const char* flag, const std::string& file) {
  auto why = ::ERR_get_error();
  const auto* text = ::ERR_reason_error_string(why);
  ::ERR_clear_error();
  return make_status(errc::malformed,
                     std::string{flag} + ": " + file + " cannot be used: "
                       + (text != nullptr ? text : "unknown cause")
                       + " (expected PEM, readable by this user)");
}

/// OpenSSL has no words for a file that is not there.
status check_readable(const char* flag, const std::string& file) {
  if (::access(file.c_str(), R_OK) == 0)
    return {};
  return make_status(errc::malformed,
                     std::string{flag} + ": " + file + " cannot be read: "
                       + std::strerror(errno) + " (expected a PEM file)");
}

} // namespace

status check_cluster_tls(const tls_files& files) {
  if (!files.is_on())
    return {};
  for (auto [flag, file] : {std::pair{"--tls-cert", &files.cert},
                            {"--tls-key", &files.key},
                            {"--tls-ca", &files.ca}})
    if (auto bad = check_readable(flag, *file); !bad.ok())
      return bad;
  std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context{
    ::SSL_CTX_new(::TLS_method()), &::SSL_CTX_free};
  if (::SSL_CTX_use_certificate_chain_file(context.get(), files.cert.c_str())
      != 1)
    return failed("--tls-cert", files.cert);
  if (::SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(),
                                    SSL_FILETYPE_PEM)
      != 1)
    return failed("--tls-key", files.key);
  if (::SSL_CTX_check_private_key(context.get()) != 1)
    return failed("--tls-key", files.key);
  if (::SSL_CTX_load_verify_locations(context.get(), files.ca.c_str(), nullptr)
      != 1)
    return failed("--tls-ca", files.ca);
  return {};
}

} // namespace baton
