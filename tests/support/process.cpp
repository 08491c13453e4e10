// SPDX-License-Identifier: MIT
#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace baton::test {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& what) {
  throw std::runtime_error{what + ": " + std::strerror(errno)};
}

void close(int& fd) {
  if (fd >= 0)
    ::close(std::exchange(fd, -1));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& x : texts)
    out.push_back(x.data());
  out.push_back(nullptr);
  return out;
}

/// A file rather than a pipe: a child that reads nothing blocks nobody.
int holding(std::string_view input) {
  auto fd = ::memfd_create("stdin", MFD_CLOEXEC);
  if (fd < 0)
    give_up("memfd_create");
  while (!input.empty()) {
    auto n = ::write(fd, input.data(), input.size());
    if (n < 0)
      give_up("stdin");
    input.remove_prefix(static_cast<std::size_t>(n));
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

/// Our end and the child's.
std::pair<int, int> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    give_up("pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

std::pair<int, int> make_file(const std::string& path) {
  auto writing = ::open(
    path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  auto reading = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (writing < 0 || reading < 0)
    give_up(path);
  return {reading, writing};
}

pid_t spawn(std::vector<std::string> argv, std::vector<std::string> env,
            std::array<int, 3> fds) {
  auto args = pointers(argv);
  auto envp = pointers(env);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i)
    ::posix_spawn_file_actions_adddup2(&actions,
                                       fds[static_cast<std::size_t>(i)], i);
  pid_t pid = -1;
  errno =
    ::posix_spawn(&pid, args[0], &actions, nullptr, args.data(), envp.data());
  auto failed = errno != 0;
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed)
    give_up(argv[0]);
  return pid;
}

} // namespace

// -- waiting ------------------------------------------------------------------

std::string program(const std::string& name) {
  auto* folder = std::getenv("BATON_BIN_DIR");
  return std::string{folder != nullptr ? folder : BATON_BIN_DIR} + "/" + name;
}

void pause(millis time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

bool wait_until(const std::function<bool()>& condition, millis patience) {
  auto until = clock::now() + patience;
  while (!condition()) {
    if (clock::now() > until)
      return false;
    pause(5ms);
  }
  return true;
}

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// -- the process --------------------------------------------------------------

process::process(std::vector<std::string> argv, options how)
  : pipes_(how.log.empty()) {
  auto in = holding(how.input);
  auto [our_out, its_out] = pipes_ ? make_pipe() : make_file(how.log + ".out");
  auto [our_err, its_err] = pipes_ ? make_pipe() : make_file(how.log + ".err");
  out_.fd = our_out;
  err_.fd = our_err;
  pid_ = spawn(std::move(argv), std::move(how.env), {in, its_out, its_err});
  for (auto* fd : {&in, &its_out, &its_err})
    close(*fd);
}

process::~process() {
  kill9();
  close(out_.fd);
  close(err_.fd);
}

void process::signal(int number) {
  if (!exit())
    ::kill(pid_, number);
}

void process::kill9() {
  signal(SIGKILL);
  int how = 0;
  if (!exit_ && ::waitpid(pid_, &how, 0) == pid_)
    exit_ = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

void process::pause() {
  signal(SIGSTOP);
  int how = 0;
  if (!exit_ && ::waitpid(pid_, &how, WUNTRACED) == pid_ && !WIFSTOPPED(how))
    exit_ = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

void process::wake() {
  signal(SIGCONT);
}

std::optional<int> process::exit() {
  int how = 0;
  if (!exit_ && ::waitpid(pid_, &how, WNOHANG) == pid_)
    exit_ = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
  return exit_;
}

finished process::wait(millis patience) {
  auto until = clock::now() + patience;
  while (!exit()) {
    // A pipe that nobody reads would keep it from ending.
    collect(5);
    if (clock::now() > until)
      throw std::runtime_error{"no end of process " + std::to_string(pid_)
                               + "; its stderr: " + err_.text};
  }
  collect(0);
  return {*exit_, out_.text, err_.text};
}

// -- its outputs --------------------------------------------------------------

void process::output::drain() {
  std::array<char, 64 * 1024> buffer;
  while (fd >= 0) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0)
      return;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void process::collect(int timeout_ms) {
  std::array<pollfd, 2> watched{
    {{pipes_ ? out_.fd : -1, POLLIN, 0}, {pipes_ ? err_.fd : -1, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), timeout_ms);
  // Hung up with nothing left: poll would return at once for ever.
  for (auto& x : {std::pair{&out_, watched[0]}, std::pair{&err_, watched[1]}}) {
    x.first->drain();
    if ((x.second.revents & (POLLIN | POLLHUP)) == POLLHUP)
      close(x.first->fd);
  }
}

const std::string& process::out() {
  collect(0);
  return out_.text;
}

const std::string& process::err() {
  collect(0);
  return err_.text;
}

void process::stop_reading() {
  close(out_.fd);
}

} // namespace baton::test
