// SPDX-License-Identifier: MIT
#include "tests/tidy/rules.hpp"

#include "tests/tidy/allowances.hpp"
#include "tests/tidy/bans.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

namespace baton::tidy {
namespace {

constexpr std::size_t columns_max = 80;
constexpr std::size_t columns_max_other = 100;
constexpr std::size_t file_lines_max = 600;
constexpr int function_lines_max = 70;

/// Left may not include right.
constexpr std::array<std::string_view, 5> layers{"messages", "storage",
                                                 "actors", "apps", "tests"};

using findings = std::vector<finding>;

std::string without_ending(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Width on a screen, near enough: UTF-8 continuation bytes take no column.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
    std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_written_by_hand(const source_file& f) {
  return f.is_cpp() || f.is(".proto") || f.is(".cmake") || f.is(".md")
         || file_name(f.path) == "CMakeLists.txt" || f.text.starts_with("#!");
}

void find_in_lines(const source_file& f, findings& out) {
  static const std::regex bare_todo{
    "\\b(F[I]XME|X[X]X|T[O]DO(?!\\(#\\d+\\): ))\\b"};
  static const std::regex machine_path{
    "(^|[^\\w.~}*/-])/(home|Users|work|workspace)/[\\w.]"};
  if (!is_written_by_hand(f))
    return;
  auto strict = f.is_cpp() || f.is(".proto") || f.text.starts_with("#!");
  auto limit = strict ? columns_max : columns_max_other;
  auto lines = lines_of(f.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto line = lines[i];
    auto number = static_cast<int>(i) + 1;
    // A row of a table cannot be wrapped.
    auto is_row = f.is(".md") && line.starts_with('|');
    if (columns(line) > limit && !is_row)
      out.push_back({"columns", f.path, number,
                     "longer than " + std::to_string(limit) + " columns"});
    if (line.ends_with(' ') || line.find_first_of("\t\r") != line.npos)
      out.push_back({"blanks", f.path, number,
                     "tab, carriage return or blank at the end; use spaces"});
    if (std::regex_search(line.begin(), line.end(), bare_todo))
      out.push_back({"todo", f.path, number,
                     "name the issue, as in TODO(#12): sentence, or do it"});
    if (std::regex_search(line.begin(), line.end(), machine_path))
      out.push_back({"path", f.path, number,
                     "a path of one machine; make it relative or injected"});
  }
  if (!f.text.empty() && !f.text.ends_with('\n'))
    out.push_back({"blanks", f.path, 0, "no newline at the end"});
}

void find_in_sizes(const source_file& f, findings& out) {
  if (!f.is_cpp())
    return;
  if (lines_of(f.text).size() > file_lines_max)
    out.push_back(
      {"file_lines", f.path, 0, "longer than 600 lines; split it by concept"});
  for (auto b : bodies_of(f.text))
    if (b.last_line - b.first_line + 1 > function_lines_max)
      out.push_back({"function_lines", f.path, b.first_line,
                     "function longer than 70 lines; split it"});
}

void find_in_head(const source_file& f, findings& out) {
  if (!f.is_cpp() && !f.is(".proto"))
    return;
  auto lines = lines_of(f.text);
  if (lines.empty() || lines[0] != "// SPDX-License-Identifier: MIT")
    out.push_back(
      {"head", f.path, 1, "the first line is // SPDX-License-Identifier: MIT"});
  if (!f.is(".hpp"))
    return;
  if (lines.size() < 2 || !lines[1].starts_with("// "))
    out.push_back(
      {"head", f.path, 2, "a header begins with a sentence on what it holds"});
  if (std::ranges::find(lines, "#pragma once") == lines.end())
    out.push_back({"head", f.path, 0, "a header has #pragma once"});
}

/// -1: not one of our folders.
int layer_of(std::string_view path) {
  auto folder = path.substr(0, path.find('/'));
  auto at = std::ranges::find(layers, folder);
  return at == layers.end() ? -1 : static_cast<int>(at - layers.begin());
}

bool may_see_caf(const source_file& f) {
  return layer_of(f.path) >= 2 || f.path.starts_with("messages/caf_");
}

bool may_see_rocksdb(const source_file& f) {
  return f.under("storage") || f.under("tests") || f.under("apps/baton_bench");
}

void find_in_include(const source_file& f, int line, char quote,
                     const std::string& target, findings& out) {
  auto add = [&](const char* what) {
    out.push_back({"layers", f.path, line, what});
  };
  if (quote == '"' && layer_of(target) < 0)
    add("include from the root of the tree: \"storage/store.hpp\"");
  if (quote == '"' && layer_of(target) > layer_of(f.path))
    add("the layers are messages <- storage <- actors <- apps <- tests");
  if (target.starts_with("caf/") && !may_see_caf(f))
    add("no CAF below actors; messages/caf_* translates");
  if (target.starts_with("rocksdb/") && !may_see_rocksdb(f))
    add("only storage knows RocksDB; use storage/store.hpp");
}

void find_in_includes(const source_file& f, const std::set<std::string>& paths,
                      findings& out) {
  static const std::regex include{"^#include ([<\"])([^>\"]+)[>\"].*"};
  if (!f.is_cpp() || layer_of(f.path) < 0)
    return;
  auto own = without_ending(f.path) + ".hpp";
  auto lines = lines_of(f.text);
  bool first = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::cmatch match;
    if (!std::regex_match(lines[i].begin(), lines[i].end(), match, include))
      continue;
    auto number = static_cast<int>(i) + 1;
    if (first && f.is(".cpp") && paths.contains(own) && match[2] != own)
      out.push_back({"own_header", f.path, number,
                     "include " + own + " first: it proves it is complete"});
    first = false;
    find_in_include(f, number, *match[1].first, match[2], out);
  }
}

/// A source may be one part of what a test covers: a_b_test.cpp is enough for
/// a_b.cpp and a_b_c.cpp.
bool has_test(std::string stem, const std::set<std::string>& paths) {
  while (!paths.contains("tests/" + stem + "_test.cpp")) {
    auto cut = stem.rfind('_');
    if (cut == std::string::npos || stem.find('/', cut) != std::string::npos)
      return false;
    stem.resize(cut);
  }
  return true;
}

void find_missing_test(const source_file& f, const std::set<std::string>& paths,
                       findings& out) {
  if (!f.is(".cpp") || layer_of(f.path) < 0 || layer_of(f.path) > 2)
    return;
  auto stem = without_ending(f.path);
  if (!has_test(stem, paths))
    out.push_back(
      {"mirror", f.path, 0,
       "write tests/" + stem + "_test.cpp, or allow it with a " + "reason"});
}

void find_bans(const source_file& f, findings& out) {
  if (!f.is_cpp())
    return;
  auto code = blank_noncode(f.text);
  auto tokens = tokens_of(code);
  for (const auto& b : bans) {
    if (!b.covers(f))
      continue;
    auto wanted = tokens_of(b.text);
    auto from = tokens.begin();
    while (true) {
      auto hit = std::search(
        from, tokens.end(), wanted.begin(), wanted.end(),
        [](const token& x, const token& y) { return x.text == y.text; });
      if (hit == tokens.end())
        break;
      out.push_back(
        {"ban " + std::string{b.text}, f.path, hit->line,
         std::string{b.text} + " is banned here: " + std::string{b.instead}});
      from = hit + 1;
    }
  }
}

void find_top_level(const std::vector<source_file>& files, findings& out) {
  std::set<std::string> strangers;
  for (const auto& f : files) {
    auto name = f.path.substr(0, f.path.find('/'));
    if (std::ranges::find(top_level_names, name) == top_level_names.end())
      strangers.insert(name);
  }
  for (const auto& name : strangers)
    out.push_back({"top_level", name, 0,
                   "the top of the tree is a closed list: put it in a folder"});
}

bool covers(const allowance& a, const finding& x) {
  auto folder = a.path.ends_with('/');
  return a.rule == x.rule
         && (folder ? x.path.starts_with(a.path) : x.path == a.path);
}

} // namespace

std::string to_string(const finding& x) {
  auto place = x.line == 0 ? x.path : x.path + ":" + std::to_string(x.line);
  return place + ": " + x.what + " [" + x.rule + "]";
}

findings find_all(const std::vector<source_file>& files) {
  findings out;
  std::set<std::string> paths;
  for (const auto& f : files)
    paths.insert(f.path);
  find_top_level(files, out);
  for (const auto& f : files) {
    find_in_lines(f, out);
    find_in_sizes(f, out);
    find_in_head(f, out);
    find_in_includes(f, paths, out);
    find_missing_test(f, paths, out);
    find_bans(f, out);
  }
  return out;
}

findings apply_allowances(findings found) {
  findings out;
  for (const auto& a : allowances) {
    auto needed =
      std::erase_if(found, [&](const finding& x) { return covers(a, x); });
    if (needed == 0)
      out.push_back({"allowance", std::string{a.path}, 0,
                     "nothing needs its allowance for '" + std::string{a.rule}
                       + "' any more: delete it in tests/tidy/allowances.hpp"});
  }
  out.insert(out.end(), found.begin(), found.end());
  return out;
}

} // namespace baton::tidy
