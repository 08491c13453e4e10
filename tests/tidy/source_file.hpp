// SPDX-License-Identifier: MIT
// A file of the tree as the tidy rules see it: raw lines for rules about text,
// tokens for rules about code, function lengths.
// The reader of C++ is a heuristic that needs no compiler: exact on comments,
// literals and braces, approximate on what a brace opens.
// Threads: value types.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace baton::tidy {

struct source_file {
  /// Relative to the root of the tree, with slashes.
  std::string path;
  std::string text;

  /// Ends in `ending`: `.hpp`.
  bool is(std::string_view ending) const { return path.ends_with(ending); }
  bool is_cpp() const { return is(".cpp") || is(".hpp"); }
  bool under(std::string_view folder) const {
    return path.starts_with(folder) && path.size() > folder.size()
           && path[folder.size()] == '/';
  }
};

/// Every text file below `root`, sorted by path; build folders and what
/// version control keeps for itself are left out.
std::vector<source_file> read_tree(const std::filesystem::path& root);

std::vector<std::string_view> lines_of(std::string_view text);

/// `text` with comments and the content of literals turned into blanks: every
/// line keeps its length. With `directives` false, preprocessor lines too.
std::string blank_noncode(std::string_view text, bool directives = true);

/// An identifier or number, or one character of punctuation.
struct token {
  std::string_view text;
  int line = 0;
};

/// `code` must outlive the result and be free of comments and literals.
std::vector<token> tokens_of(std::string_view code);

/// A function body, from the line of its `{` to that of its `}`.
struct body {
  int first_line = 0;
  int last_line = 0;
};

/// The outermost function bodies of a C++ file.
std::vector<body> bodies_of(std::string_view text);

} // namespace baton::tidy
