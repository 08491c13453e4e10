// SPDX-License-Identifier: MIT
#include "apps/baton/render.hpp"

#include "apps/baton/api.hpp"
#include "apps/baton/text_width.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace baton::cli {

namespace json = boost::json;

namespace {

constexpr std::string_view plain_characters =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
  "_-./=:,@%+";

std::string quoted(const std::string& arg) {
  if (!arg.empty()
      && arg.find_first_not_of(plain_characters) == std::string::npos)
    return arg;
  std::string out = "'";
  for (auto c : arg)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

/// The text of `data` as the server sent it: numbers stay as written. Falls
/// back to the parsed value when `data` is not the last field.
std::string data_text(std::string_view entry, const json::value& data) {
  constexpr std::string_view key = "\"data\":";
  auto begin = entry.find(key);
  auto end = entry.rfind('}');
  if (begin != std::string_view::npos && end != std::string_view::npos
      && begin + key.size() < end) {
    auto slice = entry.substr(begin + key.size(), end - begin - key.size());
    boost::system::error_code ec;
    json::parse(json::string_view{slice.data(), slice.size()}, ec);
    if (!ec)
      return std::string{slice};
  }
  return json::serialize(data);
}

/// How many bytes base64 text stands for.
std::size_t decoded_size(std::string_view base64) {
  auto padding = base64.size() - (base64.find_last_not_of('=') + 1);
  return base64.size() / 4 * 3 - std::min(padding, base64.size());
}

struct shown_entry {
  std::string text;
  tint colour = tint::none;
  bool may_cut = false;
};

shown_entry show(std::string_view entry, const json::object& x) {
  auto kind = text_at(x, "kind");
  auto data = x.if_contains("data");
  if (kind == "text")
    return {text_at(x, "data"), tint::none, false};
  if (kind == "json" && data)
    return {data_text(entry, *data), tint::cyan, true};
  auto size = std::to_string(decoded_size(text_at(x, "data")));
  if (kind == "fragment")
    return {"<" + size + " bytes of a longer line>", tint::yellow, false};
  return {"<" + size + " bytes, not text>", tint::yellow, false};
}

} // namespace

tint tint_of_status(std::string_view status) {
  if (status == "completed")
    return tint::green;
  if (status == "failed")
    return tint::red;
  if (status == "running")
    return tint::cyan;
  return tint::yellow;
}

std::string age_text(std::chrono::milliseconds age) {
  using namespace std::chrono;
  auto text = [](auto count, const char* unit) {
    return std::to_string(count) + unit;
  };
  auto s = std::max<std::int64_t>(duration_cast<seconds>(age).count(), 0);
  if (s < 120)
    return text(s, "s");
  if (s < 120 * 60)
    return text(s / 60, "m");
  if (s < 48 * 3600)
    return text(s / 3600, "h");
  return text(s / 86'400, "d");
}

std::string age_since(const std::string& time, wall_time now) {
  auto then = wall_time_from_rfc3339(time);
  return then ? age_text(now - *then) : "-";
}

wall_time now_for_people() {
  using namespace std::chrono;
  return floor<milliseconds>(system_clock::now());
}

std::string command_text(const json::object& record) {
  auto command = record.if_contains("command");
  if (command && command->is_string())
    return text_at(record, "command");
  std::string out;
  if (command && command->is_array())
    for (auto& arg : command->get_array())
      if (arg.is_string())
        out += (out.empty() ? "" : " ")
               + quoted(
                 std::string{arg.get_string().data(), arg.get_string().size()});
  return out;
}

bool may_be_in_set_up(const json::object& record) {
  auto& workspace = object_at(object_at(record, "sandbox"), "workspace");
  auto is_made = number_at(workspace, "setup_steps") > 0
                 || workspace.contains("install")
                 || object_at(workspace, "source").size() > 0;
  return is_made && text_at(record, "status") == "running"
         && !text_at(record, "node").empty()
         && number_at(record, "position") == 0;
}

std::string source_text(const json::object& workspace) {
  auto& source = object_at(workspace, "source");
  if (auto path = text_at(source, "path"); !path.empty())
    return "path:" + path;
  auto& git = object_at(source, "git");
  if (git.empty())
    return "none";
  auto ref = text_at(git, "ref");
  return "git:" + text_at(git, "url") + (ref.empty() ? "" : "#" + ref);
}

std::string end_text(const json::object& record) {
  auto out = text_at(record, "status");
  if (auto code = integer_at(record, "exit_code"))
    out += ", exit code " + std::to_string(*code);
  if (auto signal = integer_at(record, "signal"))
    out += ", signal " + std::to_string(*signal);
  auto& error = object_at(record, "error");
  auto code = text_at(error, "code");
  if (!code.empty())
    out += ", " + code;
  auto message = text_at(error, "message");
  // Drivers from outside may end theirs with a newline.
  message.resize(message.find_last_not_of(" \t\r\n") + 1);
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (!message.empty())
    out += ": " + message;
  return out;
}

std::string render_entry(std::string_view entry, const entry_style& style) {
  boost::system::error_code ec;
  auto parsed = json::parse(json::string_view{entry.data(), entry.size()}, ec);
  // Valid JSON that our parser refuses (too deep) is shown as it came.
  if (ec || !parsed.is_object())
    return without_controls(entry) + "\n";
  auto& x = parsed.get_object();
  auto time = text_at(x, "at");
  // The date is the same for most of a log; the clock is what one looks for.
  auto clock = time.size() > 12 ? time.substr(11, 12) : time;
  auto head = std::to_string(number_at(x, "seq"));
  head.insert(0, head.size() < 6 ? 6 - head.size() : 0, ' ');
  head += "  " + clock + "  ";
  auto shown = show(entry, x);
  auto text = without_controls(shown.text);
  if (shown.may_cut && style.is_cut && style.term.is_tty) {
    auto room = std::max<std::size_t>(style.term.columns * 2, 40)
                - std::min<std::size_t>(head.size(), 30);
    text = fit(text, room);
  }
  return tinted(head, tint::dim, style.term)
         + tinted(text, shown.colour, style.term) + "\n";
}

std::string trimmed_text(const std::string& run, std::uint64_t trimmed) {
  return "the log of " + run + " begins behind entry " + std::to_string(trimmed)
         + ", the rest was trimmed";
}

} // namespace baton::cli
