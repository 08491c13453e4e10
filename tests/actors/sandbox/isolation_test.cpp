// SPDX-License-Identifier: MIT
// Goal: a confined agent reaches nothing that is not its own.
// Method: agents that try, and print what they got. Each attempt must succeed
// without confinement, or its failure would prove nothing.
#include "tests/actors/sandbox/confined_world.hpp"

#include "actors/sandbox/unique_fd.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;
namespace utf = boost::unit_test;

/// What that text prints when a confined agent runs it.
std::string confined(const std::string& shell_text) {
  confined_world w;
  return w.output_of(w.start(shell_text));
}

/// The same with the rights of this user.
std::string unconfined(const std::string& shell_text) {
  sandbox_world w;
  return w.output_of(w.start(shell_text));
}

/// Shell text that prints those of the paths that exist.
std::string look_for(const std::vector<std::string>& paths) {
  std::string out;
  for (const auto& path : paths)
    out += "[ -e '" + path + "' ] && echo '" + path + "'; ";
  return out + "true";
}

BOOST_AUTO_TEST_SUITE(isolation, *utf::precondition(can_confine))

BOOST_FIXTURE_TEST_CASE(no_file_of_the_daemon_or_of_others_can_be_named,
                        confined_world) {
  auto other = start("echo secret > secret; exec sleep 100");
  BOOST_REQUIRE(
    eventually([&] { return fs::exists(work_of(other) + "/secret"); }));
  std::ofstream{outside() / "store"} << "secret";
  auto x = order("");
  std::vector<std::string> theirs{
    root(),
    root() + "/guards",
    x.where.id,
    x.where.id + "/journal",
    x.where.id + "/control",
    x.where.id + "/exit",
    work_of(other) + "/secret",
    outside() / "store",
    "/home",
    "/root",
    "/var/lib",
    "/sys",
    "/proc/" + std::to_string(::getpid()) + "/mem",
    "/proc/" + std::to_string(shim_of(other)) + "/environ",
  };
  x.command.argv = {look_for(theirs)};
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(output_of(x) == "");
  for (const auto& path : theirs)
    BOOST_TEST((fs::exists(path) || path == "/sys"), path);
}

BOOST_AUTO_TEST_CASE(the_system_cannot_be_written_to) {
  BOOST_TEST(confined("for d in / /usr /etc /opt /bin /lib /run /home /root "
                      "/proc /var; do touch $d/baton-was-here 2>&1 && "
                      "echo $d; done | grep -v '^touch:'")
             == "");
  BOOST_TEST(!fs::exists("/etc/baton-was-here"));
}

BOOST_AUTO_TEST_CASE(what_is_not_for_everybody_is_hidden) {
  for (const auto& path : look_at_host().hidden_files)
    BOOST_TEST(confined("cat '" + path + "'; true") == "", path);
  if (::access("/etc/shadow", R_OK) == 0)
    BOOST_TEST(unconfined("cat /etc/shadow") != "");
}

BOOST_AUTO_TEST_CASE(no_process_outside_can_be_seen_or_signalled) {
  auto self = std::to_string(::getpid());
  auto attempt = "kill -0 " + self + " 2>&1 && echo reached";
  BOOST_TEST(confined(attempt + "; true").find("reached") == std::string::npos);
  BOOST_TEST(unconfined(attempt) == "reached\n");
  // The inner shim and the shell.
  BOOST_TEST(confined("set -- /proc/[0-9]*; echo $#") == "2\n");
}

BOOST_AUTO_TEST_CASE(a_kill_of_everybody_reaches_its_own_alone) {
  sandbox_world local;
  auto bystander = local.start("echo ready; exec sleep 100");
  BOOST_REQUIRE(
    eventually([&] { return local.journal_of(bystander) == "ready\n"; }));
  BOOST_TEST(confined("kill -9 -1; echo sent") == "sent\n");
  BOOST_TEST((local.state_of(bystander) == agent_state::alive));
}

BOOST_AUTO_TEST_CASE(no_memory_can_be_looked_into) {
  // PTRACE_ATTACH and PTRACE_SEIZE of a process outside, and of the one that
  // keeps the namespace.
  auto call = [](const std::string& pid) {
    std::string out;
    for (auto request : {"16", "0x4206"})
      out += "print syscall(" + std::to_string(SYS_ptrace) + "," + request + ","
             + pid + ",0,0) == 0 ? \"reached\" : \"refused\";";
    return "perl -e '" + out + "'";
  };
  BOOST_TEST(confined(call(std::to_string(::getpid()))) == "refusedrefused");
  BOOST_TEST(confined(call("1")) == "refusedrefused");
  BOOST_TEST(confined("for f in mem environ maps fd/0 root/etc; do "
                      "head -c 1 /proc/1/$f && echo reached; done 2>/dev/null; "
                      "true")
             == "");
  BOOST_TEST(unconfined("head -c 1 /proc/" + std::to_string(::getpid())
                        + "/environ >/dev/null && echo reached")
             == "reached\n");
}

BOOST_AUTO_TEST_CASE(no_right_can_be_gained) {
  auto out = confined("grep -E 'NoNewPrivs|Cap(Prm|Eff|Bnd|Amb)' "
                      "/proc/self/status");
  BOOST_TEST(count_of(out, "NoNewPrivs:\t1\n") == 1u);
  BOOST_TEST(count_of(out, ":\t0000000000000000\n") == 4u);
  BOOST_TEST(confined("mount -t tmpfs none /workspace 2>/dev/null && "
                      "echo mounted; umount /etc/shadow 2>/dev/null && "
                      "echo unmounted; true")
             == "");
}

BOOST_AUTO_TEST_CASE(a_namespace_inside_uncovers_nothing) {
  // An agent may make namespaces of its own, where it has every right.
  BOOST_TEST(
    confined("unshare -Urm sh -c 'umount -l /workspace; umount -l /etc; "
             "umount -R /usr; umount /run/baton-shim; ls /home /root; "
             "mount -o remount,rw / && touch /there; "
             "mount -o remount,rw,bind /usr && touch /usr/baton-was-here; "
             "ls /there /usr/baton-was-here' 2>/dev/null; true")
    == "");
  BOOST_TEST(!fs::exists("/usr/baton-was-here"));
}

BOOST_AUTO_TEST_CASE(descriptors_are_the_agent_s_three) {
  // As it is: a pipe or a redirection would be the shell's for a moment.
  auto out = confined("ls -l /proc/$$/fd; true");
  BOOST_TEST(count_of(out, "\n") == 4u);
  for (auto foreign : {"pipe:", "socket:", "memfd", "alive", "control"})
    BOOST_TEST(count_of(out, foreign) == 0u);
}

BOOST_AUTO_TEST_CASE(there_is_no_terminal_to_type_into) {
  BOOST_TEST(confined("cut -d' ' -f1,6,7 /proc/$$/stat; echo $$; "
                      "(: </dev/tty) 2>/dev/null && echo tty; true")
             == "2 2 0\n2\n");
}

BOOST_FIXTURE_TEST_CASE(abstract_sockets_go_with_the_network, confined_world) {
  unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  auto name = "baton-test-" + std::to_string(::getpid());
  std::memcpy(where.sun_path + 1, name.data(), name.size());
  auto size =
    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  BOOST_REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&where), size)
                == 0);
  BOOST_REQUIRE(::listen(fd.get(), 8) == 0);
  auto attempt = "perl -MSocket -e 'socket($s,PF_UNIX,SOCK_STREAM,0); print "
                 "connect($s, pack(\"Sa*\", AF_UNIX, \"\\0"
                 + name + "\")) ? \"reached\" : \"refused\"'";
  auto without = order(attempt);
  without.network = false;
  BOOST_REQUIRE(here().launch(without).ok());
  BOOST_TEST(output_of(without) == "refused");
  BOOST_TEST(output_of(start(attempt)) == "reached");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
