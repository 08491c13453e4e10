// SPDX-License-Identifier: MIT
#include "storage/faulty_store.hpp"

namespace baton::storage {

void faulty_store::fail_from(std::uint64_t n, fault_moment moment) {
  moment_ = moment;
  fail_from_ = calls_ + n;
}

template <class Call>
auto faulty_store::pass(Call call) const -> decltype(call()) {
  auto n = ++calls_;
  if (n < fail_from_)
    return call();
  // Only the first failing call can have had an effect.
  if (n == fail_from_ && moment_ == fault_moment::after_effect)
    ignore_result(call(), "its answer is the one that gets lost");
  return make_status(errc::storage_failed,
                     "store call " + std::to_string(n) + " failed on purpose");
}

result<std::vector<commit_outcome>>
faulty_store::commit_all(std::span<const commit> batch) {
  return pass([&] { return inner_.commit_all(batch); });
}

status faulty_store::remove(const run_id& id, std::uint64_t expected_version) {
  return pass([&] { return inner_.remove(id, expected_version); });
}

result<epoch> faulty_store::epoch_floor() const {
  return pass([&] { return inner_.epoch_floor(); });
}

result<run_record> faulty_store::load(const run_id& id) const {
  return pass([&] { return inner_.load(id); });
}

result<std::vector<run_record>>
faulty_store::list(const list_query& query) const {
  return pass([&] { return inner_.list(query); });
}

result<std::vector<run_record>> faulty_store::live() const {
  return pass([&] { return inner_.live(); });
}

result<std::vector<run_id>> faulty_store::corrupt() const {
  return pass([&] { return inner_.corrupt(); });
}

status faulty_store::quarantine(const run_id& id, const std::string& why,
                                wall_time now) {
  return pass([&] { return inner_.quarantine(id, why, now); });
}

result<std::vector<entry>> faulty_store::read(const run_record& run,
                                              const read_query& query) const {
  return pass([&] { return inner_.read(run, query); });
}

result<std::vector<claim_note>>
faulty_store::claims(const run_record& run) const {
  return pass([&] { return inner_.claims(run); });
}

status
faulty_store::change_instances(std::span<const instance_change> changes) {
  return pass([&] { return inner_.change_instances(changes); });
}

result<std::vector<instance_record>> faulty_store::instances() const {
  return pass([&] { return inner_.instances(); });
}

result<std::vector<instance_key>> faulty_store::corrupt_instances() const {
  return pass([&] { return inner_.corrupt_instances(); });
}

result<std::uint64_t> faulty_store::uptime_ms() const {
  return pass([&] { return inner_.uptime_ms(); });
}

status faulty_store::save_uptime_ms(std::uint64_t ms) {
  return pass([&] { return inner_.save_uptime_ms(ms); });
}

} // namespace baton::storage
