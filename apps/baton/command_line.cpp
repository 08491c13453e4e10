// SPDX-License-Identifier: MIT
#include "apps/baton/command_line.hpp"

#include "apps/baton/usage_hints.hpp"
#include "apps/baton/verbs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace baton::cli {

namespace {

/// Everything that the command line can fill in.
struct filled {
  global_options global;
  bool wants_version = false;
  run_options run;
  ps_options ps;
  logs_options logs;
  logs_options attach;
  run_name_options inspect;
  run_name_options cancel;
  run_name_options rm;
  trim_options trim;
  takeover_options takeover;
  nodes_options nodes;
  list_options status;
  list_options version;
  sandboxes_options sandboxes;
  gc_options gc;
  completion_options completion;
  std::string help_with;
};

/// CLI11's layout, with the usage lines of the contract.
class help_formatter : public CLI::Formatter {
public:
  help_formatter() { column_width(28); }

  std::map<const CLI::App*, std::string> usage;

  std::string make_option_opts(const CLI::Option* option) const override {
    auto text = option->get_option_text();
    return option->get_positional() || text.empty() ? "" : " " + text;
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    auto i = usage.find(app);
    return "Usage: baton "
           + (i == usage.end() ? std::string{"COMMAND"} : i->second) + "\n";
  }
};

/// Digits only: CLI11 would take -2 for a large number.
std::string check_seq(const std::string& text) {
  auto is_number = !text.empty() && text.size() <= 18
                   && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? ""
                   : "expected the number of an entry, found '" + text + "'";
}

std::string check_switch(const std::string& text) {
  return text == "on" || text == "off"
           ? ""
           : "expected on or off, found '" + text + "'";
}

/// The parser; lives as long as one parse.
class parser {
public:
  parser();

  CLI::App& app() { return app_; }
  filled& values() { return values_; }
  bool has_verb(const std::string& word) {
    return !app_
              .get_subcommands(
                [&](const CLI::App* x) { return x->get_name() == word; })
              .empty();
  }
  std::function<int(context&)> action_of(const CLI::App& chosen) {
    return actions_.at(&chosen);
  }

private:
  template <class Options>
  CLI::App& add_verb(const std::string& usage, const std::string& help,
                     Options filled::*options,
                     int (*action)(context&, const Options&));

  void add_global();
  void add_run();
  void add_workspace(CLI::App& verb);
  void add_viewing();
  void add_control();
  void add_cluster();
  void add_self();
  void add_log_flags(CLI::App& verb, logs_options& o);

  template <class Value>
  static CLI::Option& add_value(CLI::App& verb, const std::string& names,
                                Value& value, const std::string& text,
                                const std::string& help) {
    return *verb.add_option(names, value, help)->option_text(text);
  }
  static void add_json(CLI::App& verb, bool& json) {
    verb.add_flag("--json", json, "one JSON object a line");
  }
  static void add_run_name(CLI::App& verb, std::string& run) {
    verb.add_option("RUN", run, "id of the run")
      ->option_text("RUN")
      ->required();
  }

  CLI::App app_{"Runs coding agents so that a run outlives the terminal and "
                "the daemon that started it."};
  std::shared_ptr<help_formatter> formatter_ =
    std::make_shared<help_formatter>();
  filled values_;
  std::map<const CLI::App*, std::function<int(context&)>> actions_;
};

parser::parser() {
  app_.formatter(formatter_);
  app_.name("baton");
  app_.set_help_flag("-h,--help", "show this help");
  app_.require_subcommand(0, 1);
  formatter_->usage[&app_] = "COMMAND [FLAGS]";
  add_global();
  add_run();
  add_viewing();
  add_control();
  add_cluster();
  add_self();
  app_.footer("\n'baton COMMAND --help' tells more of a command.");
}

template <class Options>
CLI::App& parser::add_verb(const std::string& usage, const std::string& help,
                           Options filled::*options,
                           int (*action)(context&, const Options&)) {
  auto name = usage.substr(0, usage.find(' '));
  auto& verb = *app_.add_subcommand(name, help);
  // So that --server and the like may stand behind the verb too.
  verb.fallthrough();
  verb.set_help_flag("-h,--help", "show this help");
  formatter_->usage[&verb] = usage;
  auto& told = values_.*options;
  actions_[&verb] = [told = &told, action](context& c) {
    return action(c, *told);
  };
  return verb;
}

void parser::add_global() {
  auto& g = values_.global;
  add_value(app_, "--server", g.server, "URL",
            "daemon to talk to: http://, https:// or unix://PATH (default: "
            "BATON_SERVER, else the local one)");
  add_value(app_, "--token-file", g.token_file, "FILE",
            "access token (default: BATON_TOKEN)");
  add_value(app_, "--ca-file", g.ca_file, "FILE",
            "who signs the daemon's certificate (default: the system's "
            "authorities)");
  app_.add_flag("--no-autostart", g.no_autostart,
                "do not start a local daemon when none answers");
  app_.add_flag("--version", values_.wants_version, "print the version");
}

void parser::add_run() {
  auto& o = values_.run;
  auto& verb =
    add_verb("run [FLAGS] -- CMD ARG...",
             "start a run and print what its agent prints", &filled::run, &run);
  add_value(verb, "--id", o.id, "ID",
            "name of the run (default: a new one); an existing run of the "
            "same command is shown instead of started");
  add_value(verb, "--thread", o.thread, "THREAD", "conversation it belongs to");
  verb.add_flag("-d,--detach", o.detach, "print the id and leave it running");
  add_value(verb, "--sandbox", o.sandbox, "local|bwrap",
            "where to run it (default: local)");
  add_value(verb, "--network", o.network, "on|off",
            "whether it has the host's network (default: on); off needs "
            "--sandbox bwrap")
    .check(check_switch);
  add_workspace(verb);
  add_value(verb, "--cwd", o.cwd, "DIR",
            "its working directory (default: this one)");
  verb
    .add_option("-e,--env", o.env,
                "variable for the agent, may be repeated; K alone passes "
                "on your own value")
    ->option_text("K=V")
    ->allow_extra_args(false);
  add_value(verb, "--stdin", o.stdin_file, "FILE",
            "what the agent reads from its stdin; - is your own");
  add_value(verb, "--node", o.node, "NODE", "node to run it on");
  verb.add_option("--label", o.labels, "label of the run, may be repeated")
    ->option_text("K=V")
    ->allow_extra_args(false);
  verb.footer("\nExit code: the agent's; 125 when baton fails; 130 after "
              "Ctrl-C, which only detaches:\nthe run goes on. A second Ctrl-C "
              "within a second cancels it.\n\nExamples:\n  baton run -- "
              "./agent.sh 'fix the tests'\n  baton run -d "
              "--id fix-7 --thread t1 -- ./agent.sh\n  echo hello | baton run "
              "--stdin - -- cat");
}

void parser::add_workspace(CLI::App& verb) {
  auto& o = values_.run;
  add_value(verb, "--workspace", o.workspace, "SOURCE",
            "what it works on: git:URL[#REF] is cloned, path:DIR is copied; "
            "then its working directory is there");
  verb
    .add_option("--setup", o.setup,
                "shell text to run in the workspace first, may be repeated")
    ->option_text("CMD")
    ->allow_extra_args(false);
  verb
    .add_option("--secret", o.secrets,
                "variable whose value the launching node reads from a file or "
                "its own environment, may be repeated")
    ->option_text("NAME=file:PATH|env:NAME")
    ->allow_extra_args(false);
  verb.add_flag("--reuse", o.reuse,
                "share the workspace with the other runs of the --thread");
}

void parser::add_log_flags(CLI::App& verb, logs_options& o) {
  verb.add_option("--from", o.from, "begin behind entry SEQ (default: 0)")
    ->option_text("SEQ")
    ->check(check_seq);
  verb.add_flag("--raw", o.raw, "the journal's exact bytes");
  verb.add_flag("--pretty", o.pretty, "a line an entry: seq, time, text");
  add_json(verb, o.json);
  verb.add_flag("--no-trunc", o.no_trunc, "do not cut long JSON lines");
  auto raw = verb.get_option("--raw");
  raw->excludes(verb.get_option("--json"));
  raw->excludes(verb.get_option("--pretty"));
  verb.get_option("--json")->excludes(verb.get_option("--pretty"));
  add_run_name(verb, o.run);
}

void parser::add_viewing() {
  auto& ps_verb = add_verb("ps [FLAGS]", "list the runs that have not ended",
                           &filled::ps, &ps);
  ps_verb.add_flag("-a,--all", values_.ps.all, "those that have ended too");
  add_value(ps_verb, "--thread", values_.ps.thread, "THREAD",
            "only those of this conversation");
  add_json(ps_verb, values_.ps.json);
  ps_verb.add_flag("-q,--quiet", values_.ps.quiet, "only the ids");

  auto& logs_verb =
    add_verb("logs [FLAGS] RUN", "show a run's log", &filled::logs, &logs);
  logs_verb.add_flag("-f,--follow", values_.logs.follow,
                     "go on until the run ends");
  add_log_flags(logs_verb, values_.logs);
  logs_verb.footer("\nOn a terminal the default is --pretty; in a pipe or "
                   "file it is --raw.");

  auto& attach_verb =
    add_verb("attach [FLAGS] RUN", "follow a run from its start, as a viewer",
             &filled::attach, &attach);
  add_log_flags(attach_verb, values_.attach);
  attach_verb.footer("\nPrints what the agent prints (--raw) unless told "
                     "otherwise. Ctrl-C only leaves.");

  auto& inspect_verb = add_verb(
    "inspect [FLAGS] RUN", "show a run's record, sandbox and claim history",
    &filled::inspect, &inspect);
  add_json(inspect_verb, values_.inspect.json);
  add_run_name(inspect_verb, values_.inspect.run);
}

void parser::add_control() {
  add_run_name(add_verb("cancel RUN", "stop a run and its whole process tree",
                        &filled::cancel, &cancel),
               values_.cancel.run);
  auto& takeover_verb =
    add_verb("takeover [FLAGS] RUN", "give a run to another node",
             &filled::takeover, &takeover);
  add_value(takeover_verb, "--node", values_.takeover.node, "NODE",
            "which one (default: any)");
  add_json(takeover_verb, values_.takeover.json);
  add_run_name(takeover_verb, values_.takeover.run);
  add_run_name(add_verb("rm RUN", "remove a run that has ended, and its log",
                        &filled::rm, &rm),
               values_.rm.run);
  auto& trim_verb =
    add_verb("trim --before SEQ RUN", "remove the beginning of a run's log",
             &filled::trim, &trim);
  add_value(trim_verb, "--before", values_.trim.before, "SEQ",
            "the first entry to keep")
    .required()
    ->check(check_seq);
  add_run_name(trim_verb, values_.trim.run);
}

void parser::add_cluster() {
  auto& nodes_verb = add_verb("nodes [FLAGS]", "list the nodes of the cluster",
                              &filled::nodes, &nodes);
  add_json(nodes_verb, values_.nodes.json);
  nodes_verb.add_flag("-q,--quiet", values_.nodes.quiet, "only the names");

  auto& sandboxes_verb =
    add_verb("sandboxes [FLAGS] [rm KEY]", "list the sandboxes, or remove one",
             &filled::sandboxes, &sandboxes);
  add_json(sandboxes_verb, values_.sandboxes.json);
  sandboxes_verb.add_flag("-q,--quiet", values_.sandboxes.quiet,
                          "only the keys, in full");
  auto& remove = *sandboxes_verb.add_subcommand("rm", "remove one sandbox");
  remove.fallthrough();
  remove.set_help_flag("-h,--help", "show this help");
  formatter_->usage[&remove] = "sandboxes rm KEY";
  remove
    .add_option("KEY", values_.sandboxes.remove_key,
                "its key, or a beginning that no other key has")
    ->option_text("KEY")
    ->required();

  auto& gc_verb = add_verb("gc [FLAGS]", "remove sandboxes that no run needs",
                           &filled::gc, &gc);
  gc_verb.add_flag("--dry-run", values_.gc.dry_run, "only say what would go");
  add_json(gc_verb, values_.gc.json);
}

void parser::add_self() {
  add_json(add_verb("status [FLAGS]", "show how the daemon is", &filled::status,
                    &status_of_daemon),
           values_.status.json);
  add_json(add_verb("version [FLAGS]", "show the versions", &filled::version,
                    &version),
           values_.version.json);
  auto& verb =
    add_verb("completion bash|zsh|fish", "print a shell's completion script",
             &filled::completion, &completion);
  verb.add_option("SHELL", values_.completion.shell, "which shell")
    ->option_text("bash|zsh|fish")
    ->required();
  verb.footer("\nExamples:\n  source <(baton completion bash)\n  baton "
              "completion fish | source");
  // Never parsed: take_help() makes a --help of it before.
  auto& help = *app_.add_subcommand("help", "show what a command takes");
  help.set_help_flag("-h,--help", "show this help");
  formatter_->usage[&help] = "help [COMMAND]";
  help.add_option("COMMAND", values_.help_with, "which one")
    ->option_text("COMMAND");
}

// -- before CLI11 -------------------------------------------------------------

bool takes_value(const std::string& arg) {
  return arg == "--server" || arg == "--token-file" || arg == "--ca-file";
}

/// The first word that is no flag, whether or not it is a verb.
std::string first_word(const std::vector<std::string>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (takes_value(args[i]))
      ++i;
    else if (!args[i].starts_with('-'))
      return args[i];
  }
  return {};
}

/// Takes what stands behind `--` out of a `run`: the agent's command is not
/// CLI11's to interpret (it would unpack `[a,b]`).
std::vector<std::string> take_command(std::vector<std::string>& args) {
  auto mark = std::find(args.begin(), args.end(), "--");
  if (mark == args.end() || first_word({args.begin(), mark}) != "run")
    return {};
  std::vector<std::string> command{mark + 1, args.end()};
  args.erase(mark, args.end());
  return command;
}

/// Makes `CMD --help` of `help CMD`.
void take_help(std::vector<std::string>& args) {
  auto is_help = [](const std::string& x) {
    return x == "-h" || x == "--help";
  };
  if (first_word(args) != "help"
      || std::any_of(args.begin(), args.end(), is_help))
    return;
  args.erase(std::find(args.begin(), args.end(), "help"));
  args.emplace_back("--help");
}

std::string one_line(std::string text) {
  if (auto end = text.find('\n'); end != std::string::npos)
    text.resize(end);
  return text;
}

// -- shape --------------------------------------------------------------------

value_kind kind_of(const std::string& text) {
  // NAME=file:PATH|env:NAME is no list of words.
  if (text.find('=') != std::string::npos)
    return value_kind::text;
  if (text.find('|') != std::string::npos)
    return value_kind::choice;
  if (text == "FILE")
    return value_kind::file;
  if (text == "DIR")
    return value_kind::directory;
  if (text == "NODE")
    return value_kind::node;
  if (text == "KEY")
    return value_kind::sandbox;
  return text == "RUN" ? value_kind::run : value_kind::text;
}

std::vector<std::string> choices_of(const std::string& text) {
  std::vector<std::string> out;
  for (auto& word : CLI::detail::split(text, '|'))
    out.push_back(word);
  return out;
}

flag_shape shape_of(const CLI::Option& option) {
  flag_shape out;
  for (auto& name : option.get_snames())
    out.names.push_back("-" + name);
  for (auto& name : option.get_lnames())
    out.names.push_back("--" + name);
  out.help = option.get_description();
  auto& text = option.get_option_text();
  if (option.get_items_expected_max() > 0)
    out.takes = kind_of(text);
  if (out.takes == value_kind::choice)
    out.choices = choices_of(text);
  return out;
}

verb_shape shape_of(const CLI::App& verb) {
  verb_shape out{verb.get_name(), verb.get_description(), {}, {}, {}, {}};
  for (auto option : verb.get_options()) {
    if (!option->get_positional()) {
      out.flags.push_back(shape_of(*option));
      continue;
    }
    out.takes = kind_of(option->get_option_text());
    if (out.takes == value_kind::choice)
      out.words = choices_of(option->get_option_text());
  }
  for (auto nested :
       verb.get_subcommands([](const CLI::App*) { return true; })) {
    out.takes = value_kind::choice;
    out.words.push_back(nested->get_name());
    out.nested.push_back(shape_of(*nested));
  }
  return out;
}

// -- refusals -----------------------------------------------------------------

usage_refusal explain(const command_shape& shape, const CLI::ParseError& e,
                      const std::vector<std::string>& args,
                      const std::string& word) {
  auto is_extra = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
  if (is_extra)
    if (auto out = explain_words(shape, args, word); !out.why.ok())
      return out;
  auto help = "see baton " + (word.empty() ? word : word + " ") + "--help";
  if (word == "run" && is_extra)
    help = "put -- before the agent's command; " + help;
  return {word,
          make_status(errc::malformed, one_line(e.what()) + " (" + help + ")")};
}

} // namespace

parsed_line parse_command_line(const std::vector<std::string>& args) {
  // The action refers to the values: they live in it.
  auto p = std::make_shared<parser>();
  parsed_line out;
  auto rest = args;
  auto command = take_command(rest);
  take_help(rest);
  auto word = first_word(rest);
  if (!word.empty() && !p->has_verb(word)) {
    out.refusal = explain_words(shape_of_commands(), rest, word);
    return out;
  }
  try {
    p->app().parse(std::vector<std::string>{rest.rbegin(), rest.rend()});
  } catch (const CLI::CallForHelp&) {
    out.invocation.text = p->app().help();
    return out;
  } catch (const CLI::ParseError& e) {
    out.refusal = explain(shape_of_commands(), e, rest, word);
    return out;
  }
  out.invocation.global = p->values().global;
  if (p->values().wants_version) {
    out.invocation.text = "baton " BATON_VERSION "\n";
    return out;
  }
  auto chosen = p->app().get_subcommands();
  if (chosen.empty()) {
    out.invocation.text = p->app().help();
    return out;
  }
  p->values().run.command = std::move(command);
  out.invocation.verb = chosen.front()->get_name();
  out.invocation.action = [p, verb = chosen.front()](context& c) {
    return p->action_of(*verb)(c);
  };
  return out;
}

command_shape shape_of_commands() {
  parser p;
  command_shape out;
  for (auto option : std::as_const(p.app()).get_options())
    out.global_flags.push_back(shape_of(*option));
  for (auto verb :
       p.app().get_subcommands([](const CLI::App*) { return true; }))
    out.verbs.push_back(shape_of(*verb));
  for (auto& verb : out.verbs)
    if (verb.name == "help") {
      verb.takes = value_kind::choice;
      for (const auto& other : out.verbs)
        verb.words.push_back(other.name);
    }
  return out;
}

} // namespace baton::cli
