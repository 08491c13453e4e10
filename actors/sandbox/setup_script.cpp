// SPDX-License-Identifier: MIT
#include "actors/sandbox/setup_script.hpp"

#include <array>
#include <charconv>

namespace baton::sandbox {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

/// Tells which command failed and ends the shell, unless $baton_status is 0.
std::string judge(std::size_t step, std::size_t command) {
  return "[ \"$baton_status\" = 0 ] || { printf 'failed " + std::to_string(step)
         + " " + std::to_string(command)
         + " %s\\n' \"$baton_status\"; exit 1; }\n";
}

/// A line of the set-up's output; `step` counts from 0.
std::string heading(std::size_t step, std::size_t steps) {
  return "-- set-up step " + std::to_string(step + 1) + " of "
         + std::to_string(steps) + " --\n";
}

std::string serial(std::size_t step, const std::string& command) {
  return "eval " + quoted(command) + " >&2\nbaton_status=$?\n" + judge(step, 0);
}

std::string parallel(std::size_t step,
                     const std::vector<std::string>& commands) {
  std::string out;
  for (std::size_t i = 0; i < commands.size(); ++i)
    out += "( eval " + quoted(commands[i]) + " ) >&2 &\nbaton_pid_"
           + std::to_string(i) + "=$!\n";
  // First wait for all, so that none is left behind by another's failure.
  for (std::size_t i = 0; i < commands.size(); ++i) {
    auto n = std::to_string(i);
    out += "wait \"$baton_pid_" + n + "\"\nbaton_status_" + n + "=$?\n";
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    out +=
      "baton_status=$baton_status_" + std::to_string(i) + "\n" + judge(step, i);
  return out;
}

template <class T>
bool take_number(std::string_view& text, T& out) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.begin(), text.end(), out);
  if (error != std::errc{})
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  return true;
}

constexpr std::string_view begin_word = "begin ";
constexpr std::string_view failed_word = "failed ";
constexpr std::string_view done_line = "done\n";

} // namespace

std::vector<std::string> setup_shell() {
  return {"/bin/sh", "-c",
          "baton_script=$(cat); exec </dev/null; eval \"$baton_script\""};
}

std::string setup_script(const std::vector<std::vector<std::string>>& steps) {
  std::string out = "unset baton_script\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out += "printf '" + std::string{begin_word} + std::to_string(i) + "\\n'\n";
    out += "printf %s " + quoted(heading(i, steps.size())) + " >&2\n";
    out +=
      steps[i].size() == 1 ? serial(i, steps[i][0]) : parallel(i, steps[i]);
  }
  return out + "printf 'done\\n'\n";
}

std::string_view said_by_step(std::string_view said, std::size_t step,
                              std::size_t steps) {
  auto line = heading(step, steps);
  auto at = said.rfind(line);
  return at == said.npos ? said : said.substr(at + line.size());
}

std::size_t last_step_of(std::string_view report) {
  auto at = report.rfind(begin_word);
  std::size_t step = 0;
  if (at == report.npos)
    return 0;
  auto rest = report.substr(at + begin_word.size());
  take_number(rest, step);
  return step;
}

std::optional<setup_failure> read_setup_report(std::string_view report,
                                               int shell_code) {
  if (report.ends_with(done_line) && shell_code == 0)
    return std::nullopt;
  setup_failure out;
  if (auto at = report.rfind(failed_word); at != report.npos) {
    auto rest = report.substr(at + failed_word.size());
    if (take_number(rest, out.step) && take_number(rest, out.command)
        && take_number(rest, out.code))
      return out;
  }
  // The command ended the shell itself, perhaps with 0.
  return setup_failure{last_step_of(report), 0, shell_code};
}

std::optional<std::string> install_command(const std::set<std::string>& names) {
  struct row {
    std::string_view lock_file;
    std::string_view command;
  };
  // A project with several has the first one for good reason and the others by
  // accident, as a rule; requirements.txt pins least.
  constexpr std::array rows{
    row{"pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
    row{"yarn.lock", "yarn install --frozen-lockfile"},
    row{"package-lock.json", "npm ci"},
    row{"uv.lock", "uv sync --frozen"},
    row{"poetry.lock", "poetry install"},
    row{"requirements.txt", "python3 -m venv .venv && .venv/bin/pip install "
                            "-r requirements.txt"},
  };
  for (const auto& x : rows)
    if (names.contains(std::string{x.lock_file}))
      return std::string{x.command};
  return std::nullopt;
}

} // namespace baton::sandbox
