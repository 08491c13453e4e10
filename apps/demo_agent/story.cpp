// SPDX-License-Identifier: MIT
#include "apps/demo_agent/script.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace baton::demo {
namespace json = boost::json;
namespace {

using std::chrono::milliseconds;

constexpr const char* session = "3f1d6c1e-5b0a-4c57-9d0e-7a1b2c3d4e5f";
constexpr const char* model = "demo-model-1";

/// One turn of the agent: what it says, the tool it calls, what comes back.
struct turn {
  std::string says;
  std::string tool;
  json::object input;
  std::string answer;
  bool failed = false;
  milliseconds tool_time{300};
};

json::object shell(const char* command) {
  return {{"command", command}};
}

json::object file(const char* path) {
  return {{"file_path", path}};
}

json::object edit(const char* path, const char* before, const char* after) {
  return {{"file_path", path}, {"old_string", before}, {"new_string", after}};
}

std::vector<turn> find_the_fault() {
  return {
    {"I'll look at what is here before touching anything.", "Bash",
     shell("git log --oneline -3 && ls"),
     "c41d2aa Read durations with more than one unit\n"
     "9b07f3e Parse seconds, minutes and hours\n"
     "1e5a600 First light\nMakefile\nREADME.md\nsrc\ntests"},
    {"A small library, and its last change is about durations. The tests "
     "should tell me which part is broken.",
     "Bash", shell("make test"),
     "duration_test: 14 cases\n"
     "  ok    one_unit_is_read\n"
     "  ok    empty_text_is_refused\n"
     "  FAIL  two_units_add_up\n"
     "        parse(\"1h30m\"): expected 5400 s, found 1800 s\n"
     "13 passed, 1 failed\nmake: *** [Makefile:9: test] Error 1",
     true, milliseconds{900}},
    {"One case fails: \"1h30m\" comes out as thirty minutes. The hour is "
     "lost, so I suspect that the sum is assigned instead of added to.",
     "Read", file("src/duration.c"),
     "12\tlong parse(const char* s) {\n13\t  long total = 0;\n"
     "14\t  while (*s) {\n15\t    long n = strtol(s, (char**)&s, 10);\n"
     "16\t    total = n * unit(*s++);\n17\t  }\n18\t  return total;\n19\t}"},
    {"There it is: line 16 overwrites the total with every unit. The caller "
     "of unit() has another weakness, so I'll read that too.",
     "Grep",
     {{"pattern", "unit\\("}, {"path", "src"}},
     "src/duration.c:3:static long unit(char c) {\n"
     "src/duration.c:16:    total = n * unit(*s++);"},
    {"", "Read", file("tests/duration_test.c"),
     "31\tTEST(two_units_add_up) {\n32\t  EQ(parse(\"1h30m\"), 5400);\n"
     "33\t  EQ(parse(\"2m5s\"), 125);\n34\t}"},
  };
}

std::vector<turn> mend_it() {
  return {
    {"The test says what I expected. The smallest cure is one character.",
     "Edit",
     edit("src/duration.c", "total = n * unit(*s++);",
          "total += n * unit(*s++);"),
     "src/duration.c: 1 replacement"},
    {"", "Bash", shell("make test"),
     "duration_test: 14 cases\n  ok    two_units_add_up\n"
     "14 passed, 0 failed",
     false, milliseconds{900}},
    {"All 14 pass. Before I call it done: what does it do with a number that "
     "has no unit, or one that no long can hold?",
     "Bash", shell("printf '%s\\n' 7 99999999999999999999h | ./duration"),
     "7 -> 0 s\n99999999999999999999h -> -3600 s", true},
    {"Neither is right. A bare number should be refused, and so should "
     "anything that overflows \xe2\x80\x94 silently wrong is worse than loud.",
     "Edit",
     edit("src/duration.c", "total += n * unit(*s++);",
          "long u = unit(*s);\n    if (u == 0 || n > (LONG_MAX - total) / u)\n"
          "      return -1;\n    total += n * u;\n    ++s;"),
     "src/duration.c: 1 replacement"},
    {"Two cases for the tests, so that it stays that way.", "Edit",
     edit("tests/duration_test.c", "TEST(two_units_add_up) {",
          "TEST(a_number_needs_a_unit) {\n  EQ(parse(\"7\"), -1);\n}\n\n"
          "TEST(what_does_not_fit_is_refused) {\n"
          "  EQ(parse(\"99999999999999999999h\"), -1);\n}\n\n"
          "TEST(two_units_add_up) {"),
     "tests/duration_test.c: 1 replacement"},
    {"", "Bash", shell("make test"),
     "duration_test: 16 cases\n  ok    a_number_needs_a_unit\n"
     "  ok    what_does_not_fit_is_refused\n  ok    two_units_add_up\n"
     "16 passed, 0 failed \xe2\x9c\x93",
     false, milliseconds{900}},
    {"Everything is green. Last, a look at the difference as a reviewer "
     "would see it.",
     "Bash", shell("git diff --stat"),
     " src/duration.c        | 6 +++++-\n tests/duration_test.c | 8 ++++++++\n"
     " 2 files changed, 13 insertions(+), 1 deletion(-)"},
    {"The README shows an example with one unit only; one with two is more "
     "useful.",
     "Edit", edit("README.md", "parse(\"90m\")", "parse(\"1h30m\")"),
     "README.md: 1 replacement"},
    {"", "Bash", shell("git commit -qam 'Add up units, refuse the rest'"), ""},
  };
}

/// After the repair, as many of these as the wanted length needs.
turn check(std::size_t number) {
  static constexpr std::array<int, 3> seconds_of{3'600, 60, 1};
  auto hours = static_cast<int>(number % 24);
  auto minutes = static_cast<int>(number * 7 % 60);
  auto seconds = static_cast<int>(number * 13 % 60);
  auto sum = hours * seconds_of[0] + minutes * seconds_of[1] + seconds;
  auto text = std::to_string(hours) + "h" + std::to_string(minutes) + "m"
              + std::to_string(seconds) + "s";
  return {"Check " + std::to_string(number) + ": three units at once.",
          "Bash",
          shell(("./duration " + text).c_str()),
          text + " -> " + std::to_string(sum) + " s",
          false,
          milliseconds{150}};
}

/// Renders turns as lines and numbers what needs a number.
class teller {
public:
  script take() { return std::move(lines_); }
  std::size_t size() const { return lines_.size(); }

  void begin() {
    add(milliseconds{400},
        {{"type", "system"},
         {"subtype", "init"},
         {"cwd", "/srv/lantern"},
         {"session_id", session},
         {"tools", json::array{"Bash", "Read", "Edit", "Grep"}},
         {"model", model},
         {"permissionMode", "acceptEdits"},
         {"uuid", next_uuid()}});
  }

  void tell(const turn& x) {
    ++turns_;
    if (!x.says.empty())
      say(x.says);
    auto id = numbered("toolu_", ++calls_);
    assistant(
      milliseconds{350},
      {{"type", "tool_use"}, {"id", id}, {"name", x.tool}, {"input", x.input}});
    add(x.tool_time,
        {{"type", "user"},
         {"message",
          {{"role", "user"},
           {"content", json::array{json::object{{"tool_use_id", id},
                                                {"type", "tool_result"},
                                                {"content", x.answer},
                                                {"is_error", x.failed}}}}}},
         {"parent_tool_use_id", nullptr},
         {"session_id", session},
         {"uuid", next_uuid()}});
  }

  void say(const std::string& text) {
    assistant(milliseconds{100 + 4 * text.size()},
              {{"type", "text"}, {"text", text}});
  }

  /// Real agents mix such lines into their stream.
  void grumble() {
    lines_.push_back(
      {milliseconds{100}, "warning: git: using a cached credential helper\n"});
  }

  void end(const std::string& summary) {
    json::object usage{{"input_tokens", 4 * turns_},
                       {"cache_creation_input_tokens", 2'048},
                       {"cache_read_input_tokens", 9'216 * turns_},
                       {"output_tokens", 31 * turns_ + 120}};
    add(milliseconds{300}, {{"type", "result"},
                            {"subtype", "success"},
                            {"is_error", false},
                            {"duration_ms", 700 * turns_},
                            {"num_turns", turns_},
                            {"result", summary},
                            {"stop_reason", "end_turn"},
                            {"session_id", session},
                            {"usage", usage},
                            {"uuid", next_uuid()}});
  }

private:
  static std::string numbered(const char* prefix, unsigned n) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%06u", n);
    return prefix + std::string{digits.data()};
  }

  std::string next_uuid() {
    return numbered("7d9f2b4c-0000-4000-8000-000000", ++uuids_);
  }

  void assistant(milliseconds pause, json::object block) {
    add(pause, {{"type", "assistant"},
                {"message",
                 {{"id", numbered("msg_", turns_)},
                  {"role", "assistant"},
                  {"model", model},
                  {"content", json::array{std::move(block)}},
                  {"stop_reason", nullptr}}},
                {"parent_tool_use_id", nullptr},
                {"session_id", session},
                {"uuid", next_uuid()}});
  }

  void add(milliseconds pause, const json::object& line) {
    lines_.push_back({pause, json::serialize(line) + "\n"});
  }

  script lines_;
  unsigned uuids_ = 0;
  unsigned calls_ = 0;
  unsigned turns_ = 0;
};

} // namespace

script story(std::size_t lines) {
  constexpr std::size_t ending = 2;
  lines = std::max(lines, story_lines_min);
  teller t;
  t.begin();
  t.say("I'll find out why the test fails, mend the cause and check it.");
  for (const auto& x : find_the_fault())
    t.tell(x);
  t.grumble();
  for (const auto& x : mend_it())
    t.tell(x);
  for (std::size_t n = 1; t.size() + ending < lines; ++n)
    t.tell(check(n));

  // The end is told whatever was cut before it.
  teller last = t;
  auto told = t.take();
  auto before_end = last.size();
  last.say("Done: durations with several units add up, and what cannot be "
           "read is refused. 16 tests pass.");
  last.end("Fixed parse(\"1h30m\"); 16 tests pass.");
  auto tail = last.take();
  tail.erase(tail.begin(), tail.begin() + static_cast<long>(before_end));
  told.resize(lines - ending);
  told.insert(told.end(), tail.begin(), tail.end());
  return told;
}

} // namespace baton::demo
