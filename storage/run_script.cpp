// SPDX-License-Identifier: MIT
#include "storage/run_script.hpp"

#include "storage/commit_check.hpp"

namespace baton::storage {
namespace {

/// An arbitrary instant; scripts have no clock.
constexpr wall_time script_epoch{std::chrono::milliseconds{1'700'000'000'000}};

std::string quoted(const run_id& id) {
  return "run '" + printable(id.str()) + "'";
}

} // namespace

run_script::run_script(std::string id, std::string thread) {
  run_spec spec;
  spec.id = run_id{std::move(id)};
  spec.thread = thread_id{std::move(thread)};
  spec.command = {false, {"agent", "--flag", std::string{"\0\xff", 2}}};
  spec.cwd = "/somewhere";
  spec.env = {{"NAME", "value"}};
  spec.stdin_bytes = std::string{"in\0put", 6};
  spec.sandbox.network = false;
  spec.labels = {{"label", "text"}};
  spec.started_at = script_epoch;
  record_.spec = std::make_shared<const run_spec>(std::move(spec));
}

commit run_script::next() {
  commit c;
  c.expected_version = record_.state.version;
  record_.state.version += 1;
  return c;
}

commit run_script::create() {
  auto c = next();
  record_.state.detached_since = script_epoch;
  c.record = record_;
  return c;
}

commit run_script::claim(const std::string& holder) {
  auto c = next();
  auto& state = record_.state;
  state.epoch.value += 1;
  state.holder = holder;
  claim_note note;
  note.epoch = state.epoch;
  note.holder = holder;
  note.cause = "placement";
  note.first_seq = seq{state.last_seq.value + 1};
  note.at = script_epoch;
  notes_.push_back(note);
  c.claim = note;
  c.record = record_;
  return c;
}

commit run_script::append(const std::vector<std::string>& lines) {
  auto c = next();
  auto& state = record_.state;
  for (const auto& line : lines) {
    entry e;
    e.seq = seq{state.last_seq.value + 1};
    e.epoch = state.epoch;
    e.begin = state.end;
    e.end = position{state.end.value + line.size()};
    e.at = script_epoch + std::chrono::milliseconds{e.seq.value};
    e.fragment = line.back() != '\n';
    e.data = line;
    state.last_seq = e.seq;
    state.end = e.end;
    state.inside_line = e.fragment;
    log_.push_back(e);
    c.entries.push_back(std::move(e));
  }
  c.record = record_;
  return c;
}

commit run_script::append(std::size_t count, std::size_t bytes) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < count; ++i) {
    // A linear congruence: lines differ and do not compress to nothing.
    auto x = record_.state.end.value * 6364136223846793005U + i + 1;
    std::string line;
    while (line.size() + 1 < bytes) {
      x = x * 6364136223846793005U + 1442695040888963407U;
      line += static_cast<char>('!' + (x >> 33) % 90);
    }
    lines.push_back(line + '\n');
  }
  return append(lines);
}

commit run_script::trim(std::size_t count) {
  auto c = next();
  record_.state.trimmed.value += count;
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(count));
  c.record = record_;
  return c;
}

commit run_script::finish(run_status how) {
  auto c = next();
  record_.state.status = how;
  record_.state.finished_at = script_epoch + std::chrono::hours{1};
  record_.state.exit_code = how == run_status::completed ? 0 : 1;
  if (how != run_status::completed)
    record_.state.error = run_error{errc::exit_nonzero, "agent ended with 1"};
  c.record = record_;
  return c;
}

result<std::vector<entry>> read_all(const store& s, const run_record& run) {
  std::vector<entry> out;
  for (;;) {
    read_query query;
    query.after = out.empty() ? run.state.trimmed : out.back().seq;
    auto page = s.read(run, query);
    if (!page || page->empty())
      return page ? result{std::move(out)} : page;
    if (page->front().seq <= query.after)
      return {errc::corrupt, "read after entry "
                               + std::to_string(query.after.value)
                               + " answered with entry "
                               + std::to_string(page->front().seq.value)};
    std::move(page->begin(), page->end(), std::back_inserter(out));
  }
}

std::vector<std::string> log_violations(const store& s, const run_record& run) {
  std::vector<std::string> out;
  auto log = read_all(s, run);
  if (!log)
    return {quoted(run.id()) + ": log unreadable: " + log.error().message};
  auto gone = run.state.trimmed;
  auto last = gone;
  position end;
  if (gone.value > 0)
    end = log->empty() ? run.state.end : log->front().begin;
  for (const auto& e : *log) {
    if (e.seq.value != last.value + 1)
      out.push_back(quoted(run.id()) + ": I2: entry "
                    + std::to_string(e.seq.value) + " follows entry "
                    + std::to_string(last.value));
    if (e.begin != end || e.end.value - e.begin.value != e.data.size())
      out.push_back(quoted(run.id()) + ": I3: entry "
                    + std::to_string(e.seq.value) + " covers bytes "
                    + std::to_string(e.begin.value) + " to "
                    + std::to_string(e.end.value) + ", expected to begin at "
                    + std::to_string(end.value));
    last = e.seq;
    end = e.end;
  }
  if (run.state.last_seq != last || run.state.end != end)
    out.push_back(quoted(run.id()) + ": the state says entry "
                  + std::to_string(run.state.last_seq.value) + " and byte "
                  + std::to_string(run.state.end.value) + ", the log has "
                  + std::to_string(last.value) + " and "
                  + std::to_string(end.value));
  for (auto after : {seq{0}, seq{gone.value - 1}}) {
    if (gone.value == 0)
      break;
    auto got = s.read(run, {after});
    auto wanted = trimmed(run.id(), gone);
    if (got || got.error().code != wanted.code
        || got.error().details != wanted.details)
      out.push_back(quoted(run.id()) + ": a read behind entry "
                    + std::to_string(after.value)
                    + " is not told that the log begins behind entry "
                    + std::to_string(gone.value));
  }
  return out;
}

std::vector<std::string> differences(const store& s, const run_script& run) {
  auto found = s.load(run.id());
  if (!found)
    return {quoted(run.id()) + ": " + std::string{to_string(found.error().code)}
            + ": " + found.error().message};
  auto out = log_violations(s, *found);
  if (found->state != run.record().state)
    out.push_back(quoted(run.id()) + ": the state is not what was committed"
                  + " (version " + std::to_string(found->state.version)
                  + ", expected " + std::to_string(run.record().state.version)
                  + ")");
  if (*found->spec != *run.record().spec)
    out.push_back(quoted(run.id()) + ": the spec is not what was committed");
  auto log = read_all(s, *found);
  if (log && *log != run.log())
    out.push_back(quoted(run.id()) + ": the log has "
                  + std::to_string(log->size()) + " entries, expected "
                  + std::to_string(run.log().size())
                  + " with exactly the committed bytes");
  auto notes = s.claims(*found);
  if (!notes || *notes != run.notes())
    out.push_back(quoted(run.id())
                  + ": the claim history is not what was "
                    "committed");
  return out;
}

} // namespace baton::storage
