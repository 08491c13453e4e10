// SPDX-License-Identifier: MIT
#include "messages/shell_commands.hpp"

#include "messages/base64.hpp"
#include "messages/check.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace baton {
namespace {

/// dd seeks in blocks, so a read costs nothing for what lies before it.
constexpr std::uint64_t block_bytes = 4096;
constexpr std::string_view tail_bytes = "4096";

/// Ends a base64 frame: not of its alphabet.
constexpr std::string_view frame_end = ".";
constexpr std::string_view no_such_file = "-";
/// Ends a list: no file name holds a slash.
constexpr std::string_view list_end = "/";

/// A path as an operand: never taken for an option.
std::string operand(std::string_view path) {
  return path.starts_with('-') ? shell_quoted("./" + std::string{path})
                               : shell_quoted(path);
}

std::string silenced(std::string command) {
  return "{ " + std::move(command) + "; } 2>/dev/null";
}

/// `producer` writes the bytes of `path` to a frame. The end stands only
/// behind a base64 that succeeded.
std::string framed(std::string_view path, const std::string& producer) {
  return silenced("if [ -f " + operand(path) + " ]; then " + producer
                  + " | base64 && echo " + std::string{frame_end}
                  + "; else echo " + std::string{no_such_file} + "; fi");
}

status cut(std::string_view what) {
  return make_status(errc::malformed,
                     "the sandbox shell's answer to '" + std::string{what}
                       + "' lacks its end: it was cut, or the sandbox lacks "
                         "the command; ask again or look into the sandbox");
}

/// Removes `last` as the last line; false if it is not there.
bool take_last_line(std::string_view& output, std::string_view last) {
  while (output.ends_with('\n') || output.ends_with('\r'))
    output.remove_suffix(1);
  if (!output.ends_with(last))
    return false;
  output.remove_suffix(last.size());
  return output.empty() || output.ends_with('\n');
}

/// Calls `f(line)` for each line, without CR LF or LF.
template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    auto n = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, n);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    f(line);
    text.remove_prefix(std::min(n + 1, text.size()));
  }
}

result<std::optional<std::string>> frame_answer(std::string_view output,
                                                std::string_view what) {
  auto rest = output;
  if (take_last_line(rest, no_such_file) && rest.empty())
    return std::optional<std::string>{};
  if (!take_last_line(output, frame_end))
    return cut(what);
  auto bytes = base64_decode(output);
  if (!bytes)
    return bytes.error();
  return std::optional{*std::move(bytes)};
}

/// The directory and what is in it, not what is below.
constexpr std::string_view find_here = "find . \\( -name . -o -prune \\) ";

/// `./name` of a line that find printed; empty for anything else.
std::string_view name_of(std::string_view line) {
  if (line == ".")
    return line;
  return line.starts_with("./") && line.size() > 2 ? line.substr(2)
                                                   : std::string_view{};
}

} // namespace

std::string shell_quoted(std::string_view word) {
  BATON_CHECK(word.find('\0') == std::string_view::npos,
              "a word of a command line ends at NUL");
  std::string out = "'";
  for (char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string follow_command(std::string_view path, position from) {
  // `tail` counts from 1, in signed numbers.
  constexpr auto from_max =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - 1;
  auto first = std::min(from.value, from_max) + 1;
  auto slash = path.rfind('/');
  std::string make_directory;
  if (slash != std::string_view::npos && slash != 0)
    make_directory = "mkdir -p " + operand(path.substr(0, slash)) + "; ";
  // In a subshell: a redirection that fails ends the shell of a `:`.
  return silenced(make_directory + "(umask 077; : >>" + operand(path)
                  + "); exec tail -c +" + std::to_string(first) + " -f "
                  + operand(path));
}

std::string read_command(std::string_view path, position from,
                         std::uint32_t bytes_max) {
  auto blocks =
    (from.value % block_bytes + bytes_max + block_bytes - 1) / block_bytes;
  return framed(path, "dd bs=" + std::to_string(block_bytes) + " skip="
                        + std::to_string(from.value / block_bytes) + " count="
                        + std::to_string(blocks) + " if=" + shell_quoted(path));
}

std::string exists_command(std::string_view path) {
  return silenced("if [ -e " + operand(path)
                  + " ]; then echo 1; else echo 0; "
                    "fi");
}

std::string list_command(std::string_view directory) {
  return silenced("cd " + operand(directory) + " >/dev/null && "
                  + std::string{find_here} + "-print && echo "
                  + std::string{list_end});
}

std::string mtimes_command(std::string_view directory) {
  auto here = std::string{find_here};
  // The second form is that of the BSDs. A file that vanishes meanwhile makes
  // `find` fail, which is no reason to distrust the rest.
  return silenced("cd " + operand(directory)
                  + " >/dev/null && { if stat -c %Y . >/dev/null; then " + here
                  + "-exec stat -c '%Y %n' {} +; else " + here
                  + "-exec stat -f '%m %N' {} +; fi; echo "
                  + std::string{list_end} + "; }");
}

std::string tail_command(std::string_view path) {
  return framed(path,
                "tail -c " + std::string{tail_bytes} + " " + operand(path));
}

std::string cleanup_command(std::span<const std::string> paths) {
  if (paths.empty())
    return "echo 1";
  std::string rm = "rm -f";
  for (const auto& path : paths)
    rm += " " + operand(path);
  return silenced("if " + rm + "; then echo 1; else echo 0; fi");
}

result<std::optional<std::string>>
read_answer(std::string_view output, position from, std::uint32_t bytes_max) {
  auto bytes = frame_answer(output, "read");
  if (!bytes || !*bytes)
    return bytes;
  auto& text = **bytes;
  text.erase(0, from.value % block_bytes);
  if (text.size() > bytes_max)
    text.resize(bytes_max);
  return bytes;
}

result<bool> exists_answer(std::string_view output) {
  auto rest = output;
  if (take_last_line(rest, "1") && rest.empty())
    return true;
  rest = output;
  if (take_last_line(rest, "0") && rest.empty())
    return false;
  return cut("exists");
}

result<std::vector<std::string>> list_answer(std::string_view output) {
  if (!take_last_line(output, list_end))
    return cut("list");
  std::vector<std::string> out;
  auto witness = false;
  auto droppable = false;
  for_each_line(output, [&](std::string_view line) {
    auto name = name_of(line);
    if (name == ".") {
      witness = true;
      droppable = false;
    } else if (!name.empty()) {
      out.emplace_back(name);
      droppable = true;
    } else if (std::exchange(droppable, false)) {
      // The name before went on behind a newline.
      out.pop_back();
    }
  });
  if (!witness)
    return cut("list");
  return out;
}

result<std::vector<file_age>> mtimes_answer(std::string_view output) {
  if (!take_last_line(output, list_end))
    return cut("list with ages");
  std::vector<file_age> out;
  auto witness = false;
  auto droppable = false;
  for_each_line(output, [&](std::string_view line) {
    std::int64_t mtime = 0;
    auto [end, bad] =
      std::from_chars(line.data(), line.data() + line.size(), mtime);
    auto digits = static_cast<std::size_t>(end - line.data());
    auto name =
      bad == std::errc{} && digits < line.size() && line[digits] == ' '
        ? name_of(line.substr(digits + 1))
        : std::string_view{};
    if (name == ".") {
      witness = true;
      droppable = false;
    } else if (!name.empty()) {
      out.push_back({std::string{name}, mtime});
      droppable = true;
    } else if (std::exchange(droppable, false)) {
      out.pop_back();
    }
  });
  if (!witness)
    return cut("list with ages");
  return out;
}

result<std::optional<std::string>> tail_answer(std::string_view output) {
  return frame_answer(output, "tail");
}

result<std::optional<exit_mark>>
exit_answer(std::string_view output,
            std::span<const std::string> nonce_hashes) {
  auto tail = frame_answer(output, "exit probe");
  if (!tail)
    return std::move(tail).error();
  if (*tail)
    if (auto found = find_exit_marker(**tail, nonce_hashes))
      return std::optional{found->mark};
  return std::optional<exit_mark>{};
}

status cleanup_answer(std::string_view output) {
  auto removed = exists_answer(output);
  if (!removed)
    return cut("cleanup");
  if (!*removed)
    return make_status(errc::io_failed,
                       "the sandbox shell could not remove the run's files, "
                       "expected `rm -f` to succeed; check their permissions");
  return {};
}

} // namespace baton
