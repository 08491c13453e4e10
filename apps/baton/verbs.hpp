// SPDX-License-Identifier: MIT
// The commands of `baton`: what each was told, and the function that does it
// and returns the exit code. One source file a verb.
#pragma once

#include "apps/baton/context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

struct run_options {
  std::optional<std::string> id;
  std::optional<std::string> thread;
  bool detach = false;
  std::string sandbox;
  /// on or off; empty: the sandbox's default.
  std::string network;
  /// git:URL[#REF] or path:DIR.
  std::string workspace;
  std::vector<std::string> setup;
  /// NAME=file:PATH or NAME=env:NAME.
  std::vector<std::string> secrets;
  bool reuse = false;
  std::string cwd;
  std::vector<std::string> env;
  std::string stdin_file;
  std::string node;
  std::vector<std::string> labels;
  std::vector<std::string> command;
};
int run(context& c, const run_options& o);

struct ps_options {
  bool all = false;
  std::string thread;
  bool json = false;
  bool quiet = false;
};
int ps(context& c, const ps_options& o);

struct logs_options {
  std::string run;
  bool follow = false;
  std::uint64_t from = 0;
  bool raw = false;
  bool json = false;
  bool pretty = false;
  bool no_trunc = false;
};
int logs(context& c, const logs_options& o);
int attach(context& c, const logs_options& o);

struct run_name_options {
  std::string run;
  bool json = false;
};
int inspect(context& c, const run_name_options& o);
int cancel(context& c, const run_name_options& o);
int rm(context& c, const run_name_options& o);

struct trim_options {
  std::string run;
  /// The first entry to keep.
  std::uint64_t before = 0;
};
int trim(context& c, const trim_options& o);

struct takeover_options {
  std::string run;
  std::string node;
  bool json = false;
};
int takeover(context& c, const takeover_options& o);

struct nodes_options {
  bool json = false;
  bool quiet = false;
};
int nodes(context& c, const nodes_options& o);

struct list_options {
  bool json = false;
};
int status_of_daemon(context& c, const list_options& o);
int version(context& c, const list_options& o);

struct sandboxes_options {
  /// Not empty: remove this one, named by the beginning of its key, instead
  /// of listing.
  std::string remove_key;
  bool json = false;
  bool quiet = false;
};
int sandboxes(context& c, const sandboxes_options& o);

struct gc_options {
  bool dry_run = false;
  bool json = false;
};
int gc(context& c, const gc_options& o);

struct completion_options {
  std::string shell;
};
int completion(context& c, const completion_options& o);

} // namespace baton::cli
