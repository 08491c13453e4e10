// SPDX-License-Identifier: MIT
#include "actors/sandbox/secret_values.hpp"

#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace baton::sandbox {
namespace {

/// One string of an environment may have 128 KiB; no key or token comes near.
constexpr std::size_t value_bytes_max = 64 * 1024;
/// What is shorter stands in every second line of any output: masked, it would
/// take the output with it, and the stars would tell the value.
constexpr std::size_t value_bytes_min = 4;

status missing(const std::string& name, const std::string& why) {
  return make_status(errc::workspace_failed, "the secret " + name + " " + why);
}

result<std::string> read_secret(const std::string& name,
                                const std::string& path) {
  unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (!fd.ok() || ::fstat(fd.get(), &info) < 0)
    return missing(
      name, io_status("cannot be read from " + path + " on this node").message);
  if (!S_ISREG(info.st_mode))
    return missing(name, "is sought in " + path + ", which is no file");
  std::string out(value_bytes_max + 2, '\0');
  auto n = ::pread(fd.get(), out.data(), out.size(), 0);
  if (n < 0)
    return missing(
      name, io_status("cannot be read from " + path + " on this node").message);
  out.resize(static_cast<std::size_t>(n));
  if (out.ends_with('\n'))
    out.pop_back();
  return out;
}

result<std::string> value_of(const std::string& name,
                             const secret_reference& where,
                             const std::map<std::string, std::string>& own) {
  if (where.from == secret_reference::place::file)
    return read_secret(name, where.name);
  if (auto at = own.find(where.name); at != own.end())
    return at->second;
  return missing(name, "is sought in the variable " + where.name
                         + ", which this node's daemon was not started with");
}

} // namespace

result<std::vector<std::string>>
secret_values(const std::map<std::string, secret_reference>& secrets,
              const std::map<std::string, std::string>& own) {
  std::vector<std::string> out;
  for (const auto& [name, where] : secrets) {
    auto value = value_of(name, where, own);
    if (!value)
      return value.error();
    if (value->size() > value_bytes_max
        || value->find('\0') != std::string::npos)
      return missing(name, "from " + where.name
                             + " is longer than 64 KiB or holds a zero byte, "
                               "which no environment can carry");
    if (value->size() < value_bytes_min)
      return missing(
        name, "from " + where.name + " has " + std::to_string(value->size())
                + " bytes, expected at least " + std::to_string(value_bytes_min)
                + ": a shorter one cannot be kept out of what is "
                  "shown (give it as a plain variable)");
    out.push_back(name + "=" + *value);
  }
  return out;
}

} // namespace baton::sandbox
