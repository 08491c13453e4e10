// SPDX-License-Identifier: MIT
#include "actors/cluster/guarded_door.hpp"

#include "actors/cluster/publish_at.hpp"

#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/scribe_impl.hpp>

#include <sys/socket.h>

namespace baton::cluster {
namespace {

namespace net = caf::io::network;

class guarded_scribe : public net::scribe_impl {
public:
  guarded_scribe(net::default_multiplexer& io, net::native_socket fd,
                 std::size_t frame_bytes_max)
    : net::scribe_impl(io, fd), frame_bytes_max_(frame_bytes_max) {
    // nop
  }

  void configure_read(caf::io::receive_policy::config how) override {
    if (how.second > frame_bytes_max_) {
      // The next read sees the end of the stream, which CAF handles.
      ::shutdown(stream_.fd(), SHUT_RDWR);
      how = caf::io::receive_policy::at_most(1);
    }
    net::scribe_impl::configure_read(how);
  }

private:
  std::size_t frame_bytes_max_;
};

class guarded_doorman : public net::doorman_impl {
public:
  guarded_doorman(net::default_multiplexer& io, net::native_socket fd,
                  std::size_t frame_bytes_max)
    : net::doorman_impl(io, fd), io_(io), frame_bytes_max_(frame_bytes_max) {
    // nop
  }

  bool new_connection() override {
    if (detached())
      return false;
    auto scribe = caf::make_counted<guarded_scribe>(
      io_, acceptor_.accepted_socket(), frame_bytes_max_);
    auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&io_, handle);
  }

private:
  net::default_multiplexer& io_;
  std::size_t frame_bytes_max_;
};

} // namespace

caf::expected<std::uint16_t> publish_guarded(caf::actor_system& system,
                                             const caf::actor& who,
                                             const std::string& host,
                                             std::uint16_t port,
                                             std::size_t frame_bytes_max) {
  return publish_at<guarded_doorman>(system, who, host, port, frame_bytes_max);
}

} // namespace baton::cluster
