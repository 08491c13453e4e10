// SPDX-License-Identifier: MIT
#include "tests/tidy/source_file.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

namespace baton::tidy {
namespace fs = std::filesystem;
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool skipped(const std::string& name) {
  return name == ".git" || name == ".cache" || name == "build"
         || name.starts_with("build-");
}

/// Walks `text` once and blanks what is not code.
class blanker {
public:
  blanker(std::string_view text, bool directives)
    : in_(text), out_(text), directives_(directives) {}

  std::string run() {
    while (at_ < in_.size()) {
      if (starts("//"))
        blank_until_newline();
      else if (starts("/*"))
        blank_block();
      else if (in_[at_] == '"')
        blank_string();
      else if (in_[at_] == '\'' && !in_number())
        blank_quoted('\'');
      else if (!directives_ && in_[at_] == '#' && first_on_line())
        blank_until_newline();
      else
        ++at_;
    }
    return std::move(out_);
  }

private:
  bool starts(std::string_view what) const {
    return in_.substr(at_).starts_with(what);
  }

  void blank() {
    if (in_[at_] != '\n')
      out_[at_] = ' ';
    ++at_;
  }

  void blank_to(std::size_t end) {
    end = std::min(end, in_.size());
    while (at_ < end)
      blank();
  }

  /// A backslash before the newline continues the line.
  void blank_until_newline() {
    while (at_ < in_.size()
           && (in_[at_] != '\n' || (at_ > 0 && in_[at_ - 1] == '\\')))
      blank();
  }

  void blank_block() {
    auto end = in_.find("*/", at_ + 2);
    blank_to(end == std::string_view::npos ? in_.size() : end + 2);
  }

  void blank_string() {
    if (at_ == 0 || in_[at_ - 1] != 'R') {
      blank_quoted('"');
      return;
    }
    auto open = in_.find('(', at_);
    if (open == std::string_view::npos)
      return blank_to(in_.size());
    auto close = ")" + std::string{in_.substr(at_ + 1, open - at_ - 1)} + "\"";
    auto end = in_.find(close, open);
    blank_to(end == std::string_view::npos ? in_.size() : end + close.size());
  }

  void blank_quoted(char quote) {
    blank();
    while (at_ < in_.size() && in_[at_] != quote && in_[at_] != '\n') {
      if (in_[at_] == '\\' && at_ + 1 < in_.size())
        blank();
      blank();
    }
    if (at_ < in_.size() && in_[at_] == quote)
      blank();
  }

  /// Whether the quote here separates digits: 1'000.
  bool in_number() const {
    auto begin = at_;
    while (begin > 0 && (is_word(in_[begin - 1]) || in_[begin - 1] == '\''))
      --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(in_[begin]));
  }

  bool first_on_line() const {
    auto begin = at_;
    while (begin > 0 && (in_[begin - 1] == ' ' || in_[begin - 1] == '\t'))
      --begin;
    return begin == 0 || in_[begin - 1] == '\n';
  }

  std::string_view in_;
  std::string out_;
  bool directives_;
  std::size_t at_ = 0;
};

enum class scope { names, function, data };

/// What a `{` opens, from the tokens since the last `;`, `{` or `}`.
scope scope_after(const std::vector<token>& head) {
  static const std::set<std::string_view> type_words{
    "namespace", "class", "struct", "union", "enum", "extern"};
  if (!head.empty() && head.back().text == "=")
    return scope::data;
  int angles = 0;
  bool saw_parenthesis = head.empty();
  for (auto i = head.rbegin(); i != head.rend(); ++i) {
    if (i->text == ")") {
      saw_parenthesis = true;
      break;
    }
    angles += i->text == ">" ? 1 : i->text == "<" ? -1 : 0;
    if (angles == 0 && type_words.contains(i->text))
      return scope::names;
  }
  if (saw_parenthesis || head.front().text == ",")
    return scope::function;
  return scope::data;
}

} // namespace

std::vector<source_file> read_tree(const fs::path& root) {
  std::vector<source_file> out;
  for (fs::recursive_directory_iterator i{root}, end; i != end; ++i) {
    if (skipped(i->path().filename().string())) {
      i.disable_recursion_pending();
      continue;
    }
    if (!i->is_regular_file())
      continue;
    std::ifstream in{i->path(), std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (text.find('\0') == std::string::npos)
      out.push_back(
        {fs::relative(i->path(), root).generic_string(), std::move(text)});
  }
  std::ranges::sort(out, {}, &source_file::path);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string blank_noncode(std::string_view text, bool directives) {
  return blanker{text, directives}.run();
}

std::vector<token> tokens_of(std::string_view code) {
  std::vector<token> out;
  int line = 1;
  for (std::size_t i = 0; i < code.size();) {
    if (code[i] == '\n')
      ++line;
    if (is_blank(code[i])) {
      ++i;
      continue;
    }
    auto end = i + 1;
    while (is_word(code[i]) && end < code.size() && is_word(code[end]))
      ++end;
    out.push_back({code.substr(i, end - i), line});
    i = end;
  }
  return out;
}

std::vector<body> bodies_of(std::string_view text) {
  auto code = blank_noncode(text, false);
  std::vector<body> out;
  std::vector<scope> open;
  std::vector<token> head;
  int inside_function = 0;
  for (const auto& t : tokens_of(code)) {
    if (t.text == "{") {
      auto in_data = !open.empty() && open.back() == scope::data;
      open.push_back(in_data ? scope::data : scope_after(head));
      if (open.back() == scope::function && ++inside_function == 1)
        out.push_back({t.line, t.line});
      head.clear();
    } else if (t.text == "}") {
      if (open.empty())
        continue;
      if (open.back() == scope::function && --inside_function == 0)
        out.back().last_line = t.line;
      open.pop_back();
      head.clear();
    } else if (t.text == ";") {
      head.clear();
    } else {
      head.push_back(t);
    }
  }
  return out;
}

} // namespace baton::tidy
