// SPDX-License-Identifier: MIT
#include "actors/cluster/tls_door.hpp"

#include "actors/cluster/publish_at.hpp"

#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/interfaces.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>
#include <caf/openssl/session.hpp>

#include <openssl/err.h>

#include <exception>

#include <unistd.h>

namespace baton::cluster {
namespace {

namespace net = caf::io::network;

/// While it lives, the thread's list of errors is one call's alone.
class own_errors {
public:
  own_errors() { ::ERR_clear_error(); }
  ~own_errors() { ::ERR_clear_error(); }
  own_errors(const own_errors&) = delete;
  own_errors& operator=(const own_errors&) = delete;
};

class clean_session {
public:
  explicit clean_session(caf::openssl::session_ptr x) : tls_(std::move(x)) {}

  net::rw_state read_some(std::size_t& done, net::native_socket fd, void* to,
                          std::size_t size) {
    own_errors guard;
    return tls_->read_some(done, fd, to, size);
  }

  net::rw_state write_some(std::size_t& done, net::native_socket fd,
                           const void* from, std::size_t size) {
    own_errors guard;
    return tls_->write_some(done, fd, from, size);
  }

  bool must_read_more(net::native_socket fd, std::size_t threshold) {
    return tls_->must_read_more(fd, threshold);
  }

private:
  caf::openssl::session_ptr tls_;
};

class tls_scribe : public caf::io::scribe {
public:
  tls_scribe(net::default_multiplexer& io, net::native_socket fd,
             caf::openssl::session_ptr tls)
    : caf::io::scribe(net::conn_hdl_from_socket(fd)),
      stream_(io, fd, std::move(tls)) {
    // nop
  }

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (std::exchange(is_started_, true))
      return;
    stream_.start(this);
    // An unfinished handshake needs to be asked whether it wants to write.
    stream_.force_empty_write(this);
  }

  void ack_writes(bool on) override { stream_.ack_writes(on); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }

  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }

  std::string addr() const override {
    auto found = net::remote_addr_of_fd(stream_.fd());
    return found ? *found : std::string{};
  }

  std::uint16_t port() const override {
    auto found = net::remote_port_of_fd(stream_.fd());
    return found ? *found : 0;
  }

private:
  bool is_started_ = false;
  net::stream_impl<clean_session> stream_;
};

class tls_doorman : public net::doorman_impl {
public:
  tls_doorman(net::default_multiplexer& io, net::native_socket fd)
    : net::doorman_impl(io, fd), io_(io) {
    // nop
  }

  bool new_connection() override {
    if (detached())
      return false;
    auto fd = acceptor_.accepted_socket();
    net::nonblocking(fd, true);
    auto tls = open_session(fd);
    if (!tls) {
      ::close(fd);
      return false;
    }
    auto scribe = caf::make_counted<tls_scribe>(io_, fd, std::move(tls));
    auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&io_, handle);
  }

private:
  /// Null: no handshake, or our own certificate cannot be read any more, which
  /// it is for each connection.
  caf::openssl::session_ptr open_session(net::native_socket fd) {
    own_errors guard;
    try {
      return caf::openssl::make_session(parent()->system(), fd, true);
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  net::default_multiplexer& io_;
};

} // namespace

caf::expected<std::uint16_t> publish_tls(caf::actor_system& system,
                                         const caf::actor& who,
                                         const std::string& host,
                                         std::uint16_t port) {
  return publish_at<tls_doorman>(system, who, host, port);
}

} // namespace baton::cluster
