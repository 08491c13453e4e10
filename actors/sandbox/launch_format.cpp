// SPDX-License-Identifier: MIT
#include "actors/sandbox/launch_format.hpp"

namespace baton::sandbox {
namespace {

constexpr std::string_view head = "baton-launch 2\n";
constexpr std::string_view tail = "end\n";

void put(std::string& out, std::uint64_t x) {
  for (int i = 0; i < 8; ++i)
    out += static_cast<char>((x >> (8 * i)) & 0xFF);
}

void put(std::string& out, const std::string& text) {
  put(out, std::uint64_t{text.size()});
  out += text;
}

void put(std::string& out, const std::vector<std::string>& texts) {
  put(out, std::uint64_t{texts.size()});
  for (const auto& text : texts)
    put(out, text);
}

void put(std::string& out, const workspace_order& x) {
  put(out, x.git_url);
  put(out, x.copied_folder);
  put(out, x.git_ref);
  put(out, x.git_depth);
  put(out, std::uint64_t{x.install});
  put(out, std::uint64_t{x.setup.size()});
  for (const auto& step : x.setup)
    put(out, step);
  put(out, x.scripts);
  put(out, x.secrets);
  put(out, x.timeout_ms);
  put(out, x.hash);
  put(out, x.instance);
}

/// Takes values off the front; once something was missing, `ok` stays false.
struct reader {
  std::string_view rest;
  bool ok = true;

  std::uint64_t number() {
    if (rest.size() < 8) {
      ok = false;
      return 0;
    }
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < 8; ++i)
      x |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    rest.remove_prefix(8);
    return x;
  }

  std::string text() {
    auto n = number();
    if (!ok || n > rest.size()) {
      ok = false;
      return {};
    }
    std::string out{rest.substr(0, n)};
    rest.remove_prefix(n);
    return out;
  }

  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (auto n = number(); ok && n > 0; --n)
      out.push_back(text());
    return out;
  }

  workspace_order workspace() {
    workspace_order out;
    out.git_url = text();
    out.copied_folder = text();
    out.git_ref = text();
    out.git_depth = number();
    out.install = number() != 0;
    for (auto n = number(); ok && n > 0; --n)
      out.setup.push_back(texts());
    out.scripts = texts();
    out.secrets = texts();
    out.timeout_ms = number();
    out.hash = text();
    out.instance = text();
    ok = ok && out.scripts.size() % 2 == 0;
    return out;
  }

  bool literal(std::string_view expected) {
    ok = ok && rest.starts_with(expected);
    if (ok)
      rest.remove_prefix(expected.size());
    return ok;
  }
};

} // namespace

std::string encode(const shim_order& order) {
  std::string out{head};
  put(out, order.argv);
  put(out, order.environment);
  put(out, order.cwd);
  put(out, order.stdin_bytes);
  put(out, order.nonce);
  put(out, std::uint64_t{order.keep_processes});
  put(out, std::uint64_t{order.workspace.has_value()});
  if (order.workspace)
    put(out, *order.workspace);
  out += tail;
  return out;
}

std::optional<shim_order> decode_shim_order(std::string_view bytes) {
  reader in{bytes};
  if (!in.literal(head))
    return std::nullopt;
  shim_order out;
  out.argv = in.texts();
  out.environment = in.texts();
  out.cwd = in.text();
  out.stdin_bytes = in.text();
  out.nonce = in.text();
  out.keep_processes = in.number() != 0;
  if (in.number() != 0)
    out.workspace = in.workspace();
  if (!in.literal(tail) || !in.rest.empty() || out.argv.empty())
    return std::nullopt;
  return out;
}

} // namespace baton::sandbox
