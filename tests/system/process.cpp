// SPDX-License-Identifier: MIT
#include "tests/system/process.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace baton::system_test {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

void drain(int& fd, std::string& into) {
  std::array<char, 64 * 1024> buffer;
  while (fd >= 0) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0)
      return;
    if (n == 0)
      ::close(std::exchange(fd, -1));
    else
      into.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& x : texts)
    out.push_back(x.data());
  out.push_back(nullptr);
  return out;
}

std::string content(const fs::path& path) {
  // Not through a stream buffer: it throws when a process ends under it.
  std::string out;
  auto* file = std::fopen(path.c_str(), "rb");
  std::array<char, 4096> piece;
  while (file != nullptr) {
    auto n = std::fread(piece.data(), 1, piece.size(), file);
    out.append(piece.data(), n);
    if (n < piece.size())
      break;
  }
  if (file != nullptr)
    std::fclose(file);
  return out;
}

bool belongs_to(const fs::path& proc, const std::string& folder) {
  std::error_code gone;
  if (fs::read_symlink(proc / "cwd", gone).string().starts_with(folder))
    return true;
  for (fs::directory_iterator fd{proc / "fd", gone}, end; !gone && fd != end;
       fd.increment(gone))
    if (fs::read_symlink(fd->path(), gone).string().starts_with(folder))
      return true;
  return content(proc / "environ").find(folder) != std::string::npos;
}

} // namespace

std::string program(const std::string& name) {
  auto* folder = std::getenv("BATON_BIN_DIR");
  return std::string{folder != nullptr ? folder : BATON_BIN_DIR} + "/" + name;
}

bool wait_until(const std::function<bool()>& condition, millis patience) {
  auto until = clock::now() + patience;
  while (!condition()) {
    if (clock::now() > until)
      return false;
    // Between two looks at what other processes do; nothing depends on it.
    ::poll(nullptr, 0, 5);
  }
  return true;
}

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

process::process(std::vector<std::string> argv, std::vector<std::string> env,
                 const std::string& input) {
  std::array<int, 2> in{}, out{}, err{};
  for (auto ends : {&in, &out, &err})
    BOOST_REQUIRE(::pipe2(ends->data(), O_CLOEXEC) == 0);
  auto args = pointers(argv);
  auto envp = pointers(env);
  pid_ = ::fork();
  BOOST_REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    ::execve(args[0], args.data(), envp.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  BOOST_REQUIRE(::write(in[1], input.data(), input.size())
                == static_cast<ssize_t>(input.size()));
  ::close(in[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
  for (auto fd : {out_fd_, err_fd_})
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

process::~process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (auto fd : {out_fd_, err_fd_})
    if (fd >= 0)
      ::close(fd);
}

void process::signal(int number) const {
  if (pid_ > 0)
    ::kill(pid_, number);
}

void process::collect(int timeout_ms) {
  std::array<pollfd, 2> watched{{{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), timeout_ms);
  drain(out_fd_, out_);
  drain(err_fd_, err_);
}

const std::string& process::out() {
  collect(0);
  return out_;
}

const std::string& process::err() {
  collect(0);
  return err_;
}

finished process::wait(millis patience) {
  auto until = clock::now() + patience;
  int how = 0;
  for (;;) {
    collect(10);
    if (::waitpid(pid_, &how, WNOHANG) == pid_)
      break;
    BOOST_REQUIRE_MESSAGE(clock::now() < until, "no end; stderr: " << err_);
  }
  pid_ = -1;
  collect(0);
  return {WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how), out_, err_};
}

bool is_alive(pid_t pid) {
  auto stat = content("/proc/" + std::to_string(pid) + "/stat");
  auto name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size()
         && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

std::vector<pid_t> processes_of(const std::string& folder) {
  std::vector<pid_t> out;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    auto name = entry.path().filename().string();
    pid_t pid = 0;
    auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc{} && pid != ::getpid() && is_alive(pid)
        && belongs_to(entry.path(), folder))
      out.push_back(pid);
  }
  return out;
}

std::size_t resident_bytes(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:"))
      return std::stoul(line.substr(6)) * 1024;
  return 0;
}

std::size_t open_files(pid_t pid) {
  std::error_code gone;
  fs::directory_iterator fds{"/proc/" + std::to_string(pid) + "/fd", gone};
  return gone ? 0
              : static_cast<std::size_t>(
                std::distance(fds, fs::directory_iterator{}));
}

} // namespace baton::system_test
