// SPDX-License-Identifier: MIT
#include "storage/rocksdb_keys.hpp"

#include "messages/check.hpp"

#include <zlib.h>

namespace baton::storage {
namespace {

constexpr std::size_t number_bytes = 8;
constexpr std::size_t checksum_bytes = 4;

/// Big-endian, so that keys sort as their numbers do.
void put_number(std::uint64_t n, char* out) noexcept {
  for (std::size_t i = 0; i < number_bytes; ++i)
    out[i] = static_cast<char>(n >> (8 * (number_bytes - 1 - i)));
}

std::uint64_t get_number(const char* in) noexcept {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < number_bytes; ++i)
    n = n << 8 | static_cast<unsigned char>(in[i]);
  return n;
}

std::string tagged(key_tag tag, std::string_view rest) {
  std::string out(1, static_cast<char>(tag));
  out += rest;
  return out;
}

std::uint32_t checksum(std::string_view key, std::string_view payload) {
  auto add = [](uLong sum, std::string_view bytes) {
    return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()),
                   bytes.size());
  };
  return static_cast<std::uint32_t>(add(add(0, key), payload));
}

} // namespace

std::string_view key_of_tag(key_tag tag) noexcept {
  auto i = key_tags.find(static_cast<char>(tag));
  BATON_CHECK(i != key_tags.npos, "every tag is listed");
  return key_tags.substr(i, 1);
}

std::string key_of_tag_behind(key_tag tag) {
  return std::string(1, static_cast<char>(static_cast<char>(tag) + 1));
}

run_key key_of(key_tag tag, run_no no) noexcept {
  run_key out;
  out.bytes[0] = static_cast<char>(tag);
  put_number(no.value, out.bytes.data() + 1);
  return out;
}

run_item_key key_of(key_tag tag, run_no no, std::uint64_t item) noexcept {
  run_item_key out;
  out.bytes[0] = static_cast<char>(tag);
  put_number(no.value, out.bytes.data() + 1);
  put_number(item, out.bytes.data() + 1 + number_bytes);
  return out;
}

std::string key_of(const run_id& id) {
  return tagged(key_tag::id, id.str());
}

std::string thread_prefix(const thread_id& id) {
  auto out = tagged(key_tag::thread, id.str());
  out += '\0';
  return out;
}

std::string thread_key(const thread_id& id, run_no no) {
  return thread_prefix(id) + encode_number(no.value);
}

std::string quarantine_key(run_no no, std::string_view damaged_key) {
  std::string out{key_of(key_tag::quarantine, no)};
  out += damaged_key;
  return out;
}

std::string meta_key(std::string_view name) {
  return tagged(key_tag::meta, name);
}

std::string key_of(const instance_key& key) {
  return tagged(key_tag::instance, key.str());
}

std::optional<std::uint64_t> last_number(std::string_view key) noexcept {
  if (key.size() < 1 + number_bytes)
    return std::nullopt;
  return get_number(key.data() + key.size() - number_bytes);
}

std::string_view thread_of(std::string_view key) noexcept {
  // Tag in front; NUL and run number behind.
  constexpr auto around = 1 + 1 + number_bytes;
  return key.size() < around ? std::string_view{}
                             : key.substr(1, key.size() - around);
}

void seal_to(std::string_view key, std::string_view payload, std::string& out) {
  auto sum = checksum(key, payload);
  for (std::size_t i = 0; i < checksum_bytes; ++i)
    out += static_cast<char>(sum >> (8 * i));
  out += payload;
}

std::string seal(std::string_view key, std::string_view payload) {
  std::string out;
  out.reserve(checksum_bytes + payload.size());
  seal_to(key, payload, out);
  return out;
}

result<std::string_view> unseal(std::string_view key, std::string_view sealed) {
  if (sealed.size() < checksum_bytes)
    return {errc::corrupt, "stored value of " + std::to_string(sealed.size())
                             + " bytes is too short for its checksum"};
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i)
    sum |= std::uint32_t{static_cast<unsigned char>(sealed[i])} << (8 * i);
  auto payload = sealed.substr(checksum_bytes);
  if (checksum(key, payload) != sum)
    return {errc::corrupt, "stored value of " + std::to_string(sealed.size())
                             + " bytes does not match its checksum"};
  return payload;
}

std::string encode_number(std::uint64_t n) {
  std::string out(number_bytes, '\0');
  put_number(n, out.data());
  return out;
}

std::optional<std::uint64_t> decode_number(std::string_view bytes) noexcept {
  if (bytes.size() != number_bytes)
    return std::nullopt;
  return get_number(bytes.data());
}

} // namespace baton::storage
