// SPDX-License-Identifier: MIT
#include "apps/baton/autostart.hpp"

#include "storage/data_dir.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace baton::cli {

namespace {

using std::chrono::steady_clock;

class owned_fd {
public:
  explicit owned_fd(int fd) : fd_(fd) {}
  ~owned_fd() { reset(); }
  owned_fd(const owned_fd&) = delete;
  owned_fd& operator=(const owned_fd&) = delete;
  int get() const noexcept { return fd_; }
  void reset() noexcept {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

private:
  int fd_;
};

status failed(const std::string& what) {
  return make_status(errc::unavailable, what + ": " + std::strerror(errno)
                                          + " (start batond by hand, or set "
                                            "BATON_DATA_DIR)");
}

int left_ms(steady_clock::time_point until) {
  auto left =
    std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become_daemon(char* const* argv, int log_fd, int pid_fd) {
  ::setsid();
  auto pid = ::fork();
  if (pid != 0) {
    // The caller cannot wait for a grandchild; it gets the pid instead.
    [[maybe_unused]] auto n = ::write(pid_fd, &pid, sizeof(pid));
    ::_exit(0);
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  auto null_fd = ::open("/dev/null", O_RDONLY);
  ::dup2(null_fd, STDIN_FILENO);
  ::dup2(log_fd, STDOUT_FILENO);
  ::dup2(log_fd, STDERR_FILENO);
  // What the caller's shell left open is not the daemon's to keep.
  ::close_range(3, ~0U, 0);
  if (::chdir("/") != 0)
    ::_exit(127);
  ::execv(argv[0], argv);
  constexpr std::string_view text = "cannot be executed\n";
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(127);
}

/// The daemon's pid.
result<pid_t> spawn(const std::vector<std::string>& args, int log_fd) {
  std::vector<char*> argv;
  for (auto& arg : args)
    argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return failed("pipe");
  owned_fd read_end{ends[0]};
  owned_fd write_end{ends[1]};
  auto child = ::fork();
  if (child < 0)
    return failed("fork");
  if (child == 0)
    become_daemon(argv.data(), log_fd, write_end.get());
  write_end.reset();
  pid_t daemon = 0;
  auto n = ::read(read_end.get(), &daemon, sizeof(daemon));
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (n != static_cast<ssize_t>(sizeof(daemon)) || daemon <= 0)
    return {errc::unavailable, "the daemon's process could not be made (start "
                               "batond by hand)"};
  return daemon;
}

/// The log from `from` on.
std::string read_from(const std::string& path, off_t from) {
  owned_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text(16 * 1024, '\0');
  auto n = ::pread(fd.get(), text.data(), text.size(), from);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

bool says_ready(const std::string& text) {
  return text.starts_with("batond ready ")
         || text.find("\nbatond ready ") != std::string::npos;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  auto begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

constexpr int ask_again_ms = 20;

struct attempt {
  bool is_up = false;
  /// The daemon ended without becoming ready.
  bool has_died = false;
  std::string last_words;
};

/// Starts it once and watches its log and its life.
result<attempt> try_start(const autostart_options& options,
                          const std::string& log_path, int log_fd,
                          std::vector<std::string> args,
                          steady_clock::time_point until) {
  auto from = ::lseek(log_fd, 0, SEEK_END);
  owned_fd watch{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (watch.get() < 0
      || ::inotify_add_watch(watch.get(), log_path.c_str(), IN_MODIFY) < 0)
    return failed("cannot watch " + log_path);
  auto pid = spawn(args, log_fd);
  if (!pid)
    return std::move(pid).error();
  // A daemon that is gone already has no descriptor: -1, and the log tells.
  owned_fd life{static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0))};
  attempt out;
  auto said_ready = false;
  for (;;) {
    auto is_over = life.get() < 0;
    if (!is_over) {
      std::array<pollfd, 2> watched{
        {{watch.get(), POLLIN, 0}, {life.get(), POLLIN, 0}}};
      // Once it says that it is ready, nothing more tells when it answers.
      auto wait_ms = left_ms(until);
      if (said_ready)
        wait_ms = std::min(wait_ms, ask_again_ms);
      ::poll(watched.data(), watched.size(), wait_ms);
      is_over = watched[1].revents != 0;
    }
    std::array<char, 4096> events;
    while (::read(watch.get(), events.data(), events.size()) > 0) {
    }
    auto text = read_from(log_path, from);
    said_ready = says_ready(text);
    out.is_up = said_ready && options.is_up();
    out.has_died = is_over && !out.is_up;
    out.last_words = last_line(text);
    if (out.is_up || is_over || left_ms(until) == 0)
      return out;
  }
}

bool is_port_taken(std::uint16_t port) {
  owned_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&where), sizeof(where))
         == 0;
}

constexpr std::uint16_t default_http_port = 7070;

} // namespace

std::string find_batond(const env_variables& env) {
  if (auto path = value_of(env, "BATON_BATOND"); !path.empty())
    return path;
  std::error_code ec;
  auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  auto beside = (self.parent_path() / "batond").string();
  if (!ec && ::access(beside.c_str(), X_OK) == 0)
    return beside;
  auto path = value_of(env, "PATH");
  for (std::size_t at = 0; at <= path.size();) {
    auto end = std::min(path.find(':', at), path.size());
    auto candidate = path.substr(at, end - at) + "/batond";
    if (end > at && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    at = end + 1;
  }
  return {};
}

status start_daemon(const autostart_options& options) {
  if (options.program.empty())
    return make_status(errc::unavailable, "no batond beside baton or in PATH "
                                          "(install it, or set BATON_BATOND)");
  auto& dir = options.paths.data_dir;
  std::error_code ec;
  if (std::filesystem::create_directories(dir, ec))
    std::filesystem::permissions(dir, std::filesystem::perms::owner_all, ec);
  auto log_path = dir + "/" + storage::daemon_log_file;
  auto flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  owned_fd log{::open(log_path.c_str(), flags, 0600)};
  // A second description of the same file is the lock: the daemon inherits
  // only the first, so the lock ends with this process at the latest.
  owned_fd lock{::open(log_path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (log.get() < 0 || lock.get() < 0)
    return failed("cannot write " + log_path);
  while (::flock(lock.get(), LOCK_EX) != 0)
    if (errno != EINTR)
      return failed("cannot lock " + log_path);
  if (options.is_up())
    return {};
  // From here: the time that others took to start in vain is not ours.
  auto until = steady_clock::now() + options.limit;
  std::vector<std::string> args{options.program};
  auto tried = try_start(options, log_path, log.get(), args, until);
  if (tried.ok() && tried->has_died && is_port_taken(default_http_port)) {
    // Another user's daemon has the usual port. The socket is what we need.
    args.insert(args.end(), {"--http", "127.0.0.1:0"});
    tried = try_start(options, log_path, log.get(), args, until);
  }
  if (!tried)
    return std::move(tried).error();
  // One that was started by hand meanwhile is as good.
  if (tried->is_up || options.is_up())
    return {};
  return make_status(
    errc::unavailable,
    std::string{tried->has_died ? "batond ended at once"
                                : "batond did not become ready in time"}
      + (tried->last_words.empty() ? std::string{} : ": " + tried->last_words)
      + " (see " + log_path + ")");
}

} // namespace baton::cli
