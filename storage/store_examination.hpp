// SPDX-License-Identifier: MIT
// One store under examination by the conformance kit: what the kit's chapters
// share. See store_conformance.hpp.
// Threads: as the store, but for one thread that examines.
#pragma once

#include "storage/run_script.hpp"
#include "storage/store_conformance.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::storage {

class examination {
public:
  examination(store_maker& maker, std::vector<std::string>& out)
    : maker_(maker), out_(out) {}

  /// Begins with a new store; what follows examines this guarantee.
  void begin(std::string guarantee);

  store& it() { return *store_; }

  // -- what must hold ---------------------------------------------------------

  bool expect(bool holds, const std::string& what);
  void expect_none(const std::vector<std::string>& findings);
  void expect_stored(const run_script& run);
  /// Exactly these, by key.
  void expect_instances(const std::vector<instance_record>& wanted);

  // -- commits ----------------------------------------------------------------

  /// The outcomes; one made-up failure for each that is missing.
  std::vector<commit_outcome> commit_all(const std::vector<commit>& batch);
  commit_outcome commit_one(const commit& c) { return commit_all({c}).front(); }
  /// Commits what must be taken.
  commit_outcome take(const commit& c);
  void create(run_script& run) { run.numbered(take(run.create()).no); }

  // -- the store's life -------------------------------------------------------

  void reopen() { store_ = maker_.reopen(std::move(store_)); }
  void crash() { store_ = maker_.crash(std::move(store_)); }
  /// False: this engine cannot be damaged.
  bool damage(const run_id& id);

  // -- what is in it ----------------------------------------------------------

  std::vector<std::string> listed(const list_query& query);
  std::vector<std::string> live();

private:
  bool is_safe(const std::vector<commit>& batch);

  store_maker& maker_;
  std::vector<std::string>& out_;
  std::string guarantee_;
  std::unique_ptr<store> store_;
};

/// An instance with every field set, or only those it must have.
instance_record sample_instance(const std::string& key, bool full);

// -- chapters in files of their own -------------------------------------------

void examine_trims(examination& x);
void examine_instances(examination& x);

} // namespace baton::storage
