// SPDX-License-Identifier: MIT
#include "actors/gateway/metrics_page.hpp"

#include "actors/gateway/prometheus_text.hpp"

namespace baton::http {
namespace {

void add(std::string_view name, std::string_view kind, std::string_view help,
         std::uint64_t value, std::string& out) {
  head(name, kind, help, out);
  out += "baton_" + std::string{name} + " " + std::to_string(value) + "\n";
}

void add_labelled(std::string_view name, std::string_view key,
                  std::string_view value, std::uint64_t count,
                  std::string& out) {
  out += "baton_" + std::string{name} + "{" + std::string{key} + "=\""
         + label(value) + "\"} " + std::to_string(count) + "\n";
}

} // namespace

std::string metrics_page(const metrics& m) {
  std::string out;
  head("build_info", "gauge", "Version of this node.", out);
  out += "baton_build_info{version=\"" + label(m.version) + "\"} 1\n";
  add("resident_memory_bytes", "gauge", "Resident memory of the process.",
      m.resident_bytes, out);
  head("http_requests_total", "counter", "Requests answered.", out);
  for (const auto& [key, count] : m.requests)
    out += "baton_http_requests_total{route=\"" + label(key.first)
           + "\",code=\"" + std::to_string(key.second) + "\"} "
           + std::to_string(count) + "\n";
  add("http_connections_open", "gauge", "Open HTTP connections.",
      m.connections_open, out);
  add("http_connections_refused_total", "counter",
      "Connections over the limit.", m.connections_refused, out);
  add("http_streams_open", "gauge", "Logs being read right now.",
      m.streams_open, out);
  add("http_streams_total", "counter", "Logs read, ever.", m.streams_total,
      out);
  add("http_readers_dropped_total", "counter",
      "Connections closed because the reader took nothing for too long.",
      m.readers_dropped, out);
  return out;
}

std::string metrics_text(const coordinator::counters& x) {
  std::string out;
  head("runs", "gauge", "Runs that have not ended.", out);
  for (auto [status, count] : x.live)
    add_labelled("runs", "status", to_string(status), count, out);
  head("runs_ended_total", "counter", "Runs that ended since the start.", out);
  for (auto [status, count] : x.ended)
    add_labelled("runs_ended_total", "status", to_string(status), count, out);
  add("claims_total", "counter", "Claims granted: epochs that began.", x.claims,
      out);
  head("takeovers_total", "counter",
       "Claims of runs that somebody else still held.", out);
  for (const auto& [cause, count] : x.takeovers)
    add_labelled("takeovers_total", "cause", cause, count, out);
  add("fenced_writes_total", "counter",
      "Writes refused because their claim was over.", x.fenced_writes, out);
  head("reaped_total", "counter",
       "What sweeps made of runs that nobody watched.", out);
  for (const auto& [outcome, count] : x.reaped)
    add_labelled("reaped_total", "outcome", outcome, count, out);
  head("reclaimed_total", "counter",
       "What came of destroying sandboxes, by attempt.", out);
  for (const auto& [outcome, count] : x.reclaimed)
    add_labelled("reclaimed_total", "outcome", outcome, count, out);
  add("pruned_total", "counter",
      "Sandboxes condemned that no record had named.", x.pruned, out);
  add("retired_total", "counter",
      "Runs removed because they had been kept long enough.", x.retired, out);
  if (x.last_sweep) {
    head("last_sweep_time_seconds", "gauge",
         "When the last sweep began, in seconds since 1970.", out);
    auto ms = x.last_sweep->time_since_epoch().count();
    out += "baton_last_sweep_time_seconds " + std::to_string(ms / 1000) + "\n";
  }
  return out;
}

std::string metrics_text(const run::lag_board::reading& x) {
  std::string out;
  add("driven_runs", "gauge", "Runs whose journal this node follows.", x.runs,
      out);
  add("journal_lag_bytes", "gauge",
      "Journal bytes that are not in the log yet, over the driven runs.",
      x.bytes, out);
  add("journal_lag_max_bytes", "gauge",
      "The same of the run that trails furthest.", x.bytes_max, out);
  return out;
}

} // namespace baton::http
