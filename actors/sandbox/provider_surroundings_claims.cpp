// SPDX-License-Identifier: MIT
#include "actors/sandbox/provider_claims.hpp"

#include "actors/sandbox/unique_fd.hpp"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>

namespace baton::sandbox {
namespace {

/// A port of this host's loopback that takes connections.
class listener {
public:
  listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(where);
    auto* address = reinterpret_cast<sockaddr*>(&where);
    if (::bind(fd_.get(), address, size) == 0 && ::listen(fd_.get(), 8) == 0
        && ::getsockname(fd_.get(), address, &size) == 0)
      port_ = ::ntohs(where.sin_port);
  }
  std::string port() const { return std::to_string(port_); }

private:
  unique_fd fd_;
  unsigned port_ = 0;
};

void stdin_is_given_and_ends(provider_examination& e) {
  auto given = e.order("cat; echo done");
  given.stdin_bytes = std::string{"a\0b\n", 4};
  e.start(given);
  e.end(given);
  e.expect(e.output(given) == given.stdin_bytes + "done\n",
           "the agent does not read what it was given, and then an end");
  auto nothing = e.start("cat; echo done");
  e.end(nothing);
  e.expect(e.output(nothing) == "done\n",
           "an agent that is given nothing reads something, or waits");
}

void the_environment_is_the_orders(provider_examination& e) {
  constexpr const char* secret = "BATON_CONFORMANCE_SECRET";
  ::setenv(secret, "of the launcher", 1);
  auto x = e.order("env; exec 2>&1; sh -c 'echo $1' x found");
  x.env = {{"API_KEY", "line 1\nline 2"}, {"HOME", "/elsewhere"}};
  e.start(x);
  e.end(x);
  ::unsetenv(secret);
  auto out = e.output(x);
  e.expect(out.find("API_KEY=line 1\nline 2\n") != out.npos,
           "an ordered variable does not arrive");
  e.expect(out.find("HOME=/elsewhere\n") != out.npos,
           "an ordered variable does not replace the inherited one");
  e.expect(out.find(secret) == out.npos,
           "the launcher's own variables reach the agent");
  e.expect(out.ends_with("found\n"), "no program is found through PATH");
}

void the_command_is_the_orders(provider_examination& e) {
  auto x = e.order("");
  x.command.shell = false;
  x.command.argv = {"printf", "%s|", "a b", "", "$HOME", "'\"\n"};
  e.start(x);
  e.end(x);
  e.expect(e.output(x) == "a b||$HOME|'\"\n|",
           "the arguments do not arrive as they are");
}

void the_directory_is_the_orders(provider_examination& e) {
  auto ordered = e.start("pwd; echo x > made");
  e.end(ordered);
  e.expect(e.output(ordered) == ordered.cwd + "\n",
           "the agent does not start where it was ordered");
  e.expect(e.file("made") == "x\n", "what it writes there does not arrive");
  auto own = e.order("echo x > mine && ls");
  own.cwd.clear();
  e.start(own);
  e.end(own);
  e.expect(e.output(own) == "mine\n",
           "without an order it does not start in an empty folder of its own");
  auto other = e.order("ls");
  other.cwd.clear();
  e.start(other);
  e.end(other);
  e.expect(e.output(other).empty(), "two runs start in the same folder");
}

void what_cannot_be_executed_is_told(provider_examination& e) {
  auto x = e.order("");
  x.command.shell = false;
  x.command.argv = {"no-such-command-here"};
  e.start(x);
  auto end = e.end(x);
  e.expect(end.error && end.error->code == errc::launch_failed
             && end.error->message.find("no-such-command-here")
                  != std::string::npos,
           "a command that does not exist is not told as an error");
  e.expect(end.code == 127, "a command that does not exist has not code 127");
  e.expect(end.journal_end.value == 0, "it has output all the same");
  auto lost = e.order("echo word >> words");
  lost.cwd = e.path("missing");
  e.start(lost);
  auto why = e.end(lost).error;
  e.expect(why && why->message.find(lost.cwd) != std::string::npos,
           "a working directory that does not exist is not told as an error");
  auto honest = e.start("exit 127");
  e.expect(!e.end(honest).error, "exit code 127 is told as an error");
}

/// Says `reached` or `refused`.
std::string connect_to(const listener& there) {
  return "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("
         "PeerAddr=>\"127.0.0.1\",PeerPort=>"
         + there.port() + ",Timeout=>5) ? \"reached\" : \"refused\"'";
}

void the_network_is_the_orders(provider_examination& e) {
  listener here;
  auto x = e.order(connect_to(here));
  x.network = false;
  if (!e.it().can().network_policy) {
    auto got = e.it().launch(x);
    e.expect(!got && got.error().code == errc::unsupported,
             "an order without network is not refused as unsupported");
    return;
  }
  e.start(x);
  e.end(x);
  e.expect(e.output(x) == "refused", "an agent without network has one");
  // The same attempt must be able to succeed, or it proves nothing.
  auto open = e.order(connect_to(here));
  open.network = true;
  e.start(open);
  e.end(open);
  e.expect(e.output(open) == "reached", "an agent with network has none");
}

constexpr provider_claim claims[] = {
  {"stdin is given and ends", stdin_is_given_and_ends},
  {"the environment is the order's", the_environment_is_the_orders},
  {"the command is the order's", the_command_is_the_orders},
  {"the directory is the order's", the_directory_is_the_orders},
  {"the network is the order's", the_network_is_the_orders},
  {"what cannot be executed is told", what_cannot_be_executed_is_told},
};

} // namespace

std::vector<provider_claim> surroundings_claims() {
  return {std::begin(claims), std::end(claims)};
}

} // namespace baton::sandbox
