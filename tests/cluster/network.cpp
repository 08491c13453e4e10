// SPDX-License-Identifier: MIT
#include "tests/cluster/network.hpp"

#include "tests/support/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace baton::test {
namespace {

std::string next_prefix() {
  static std::atomic<int> count{0};
  return "bt" + std::to_string(::getpid()) + "-" + std::to_string(++count)
         + "-";
}

finished ip(std::vector<std::string> args) {
  args.insert(args.begin(), {"/usr/bin/env", "ip"});
  process::options how;
  how.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
  return process{args, how}.wait(20s);
}

void must(const std::vector<std::string>& args) {
  auto done = ip(args);
  if (done.exit != 0)
    throw std::runtime_error{"ip " + args.at(0) + ": " + done.err};
}

int open_space(const std::string& path) {
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw std::runtime_error{path + ": " + std::strerror(errno)};
  return fd;
}

std::string link_of(int host) {
  return "v" + std::to_string(host);
}

} // namespace

std::string network::impossible() {
  try {
    network probe{1};
    visit inside{probe, 0};
    return {};
  } catch (const std::runtime_error& why) {
    return why.what();
  }
}

network::network(int hosts) : prefix_(next_prefix()) {
  hosts_.resize(static_cast<std::size_t>(hosts));
  std::iota(hosts_.begin(), hosts_.end(), 0);
  try {
    must({"netns", "add", hub()});
    must({"-n", hub(), "link", "add", "br0", "type", "bridge"});
    must({"-n", hub(), "link", "set", "br0", "up"});
    for (auto i : hosts_) {
      must({"netns", "add", space(i)});
      must({"-n", hub(), "link", "add", link_of(i), "type", "veth", "peer",
            "name", "eth0", "netns", space(i)});
      must({"-n", hub(), "link", "set", link_of(i), "master", "br0", "up"});
      must({"-n", space(i), "link", "set", "lo", "up"});
      must({"-n", space(i), "addr", "add", address(i) + "/24", "dev", "eth0"});
      must({"-n", space(i), "link", "set", "eth0", "up"});
    }
  } catch (const std::runtime_error&) {
    remove();
    throw;
  }
}

network::~network() {
  remove();
}

void network::remove() const {
  for (auto i : hosts_)
    ip({"netns", "del", space(i)});
  ip({"netns", "del", hub()});
}

std::string network::space(int host) const {
  return prefix_ + std::to_string(host);
}

std::string network::hub() const {
  return prefix_ + "hub";
}

std::string network::address(int host) {
  return "10.77.0." + std::to_string(host + 1);
}

void network::cut(int host) {
  must({"-n", hub(), "link", "set", link_of(host), "down"});
}

void network::heal(int host) {
  must({"-n", hub(), "link", "set", link_of(host), "up"});
}

void network::lose(int from, int to) {
  // Frames to a station that is not there; works without a packet filter.
  must({"-n", space(from), "neigh", "replace", address(to), "lladdr",
        "02:00:00:00:00:01", "nud", "permanent", "dev", "eth0"});
}

void network::stop_losing(int from, int to) {
  must({"-n", space(from), "neigh", "del", address(to), "dev", "eth0"});
}

network::visit::visit(const network& n, int host)
  : home_(open_space("/proc/thread-self/ns/net")) {
  auto there = open_space("/run/netns/" + n.space(host));
  auto entered = ::setns(there, CLONE_NEWNET);
  ::close(there);
  if (entered != 0)
    throw std::runtime_error{std::string{"setns: "} + std::strerror(errno)};
}

network::visit::~visit() {
  // Were it to fail, the next connection would say so.
  static_cast<void>(::setns(home_, CLONE_NEWNET));
  ::close(home_);
}

} // namespace baton::test
