// fairway promql test: runs files in the language in which Prometheus tests its engine.
#include <fmt/format.h>
#include <ostream>

#include "cli/command.hpp"
#include "cli/promql_sources.hpp"
#include "promql/promqltest.hpp"

namespace fairway::cli {
namespace {

struct PromqlTestSettings {
  std::vector<std::string> files;
  bool drop_names_at_once = false;
};

Result<void> run_promql_test(const PromqlTestSettings& settings, Invocation& invocation) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const std::string& path : settings.files) {
    FAIRWAY_TRY(const std::string text, read_file(path));
    const promql::TestReport report =
        promql::run_promqltest(text, {.delayed_name_removal = !settings.drop_names_at_once});
    passed += report.passed;
    failed += report.failures.size();
    for (const promql::TestFailure& failure : report.failures) {
      invocation.out << fmt::format("{}:{}: {}\n", path, failure.line, failure.text);
    }
  }
  invocation.out << fmt::format("{} passed, {} failed\n", passed, failed);
  invocation.verdict = failed > 0 ? 1 : 0;
  return {};
}

constexpr const char* kPromqlTestDescription =
    "Run tests of queries: load, clear and eval, as Prometheus' own promqltest has them\n"
    "\n"
    "Prints each failure and how many passed and failed; ends with 1 when any failed. What needs native\n"
    "histograms, which are not supported, fails.";

constexpr const char* kPromqlTestExamples =
    "fairway promql test risks.test\n"
    "\n"
    "# Metric names dropped as Prometheus' engine does by default, not as its tests do\n"
    "fairway promql test --drop-names-at-once *.test";

}  // namespace

void add_promql_test(CLI::App& promql, Invocation& invocation) {
  CLI::App& command = *promql.add_subcommand("test", kPromqlTestDescription);
  command.group(kSubcommands);
  command.footer(kPromqlTestExamples);
  auto settings = std::make_shared<PromqlTestSettings>();
  command.add_option("FILE", settings->files, "Files of tests")->type_name("FILE")->required()->take_all();
  command.add_flag("--drop-names-at-once", settings->drop_names_at_once,
                   "Drop metric names where they lose their meaning, not at the end");
  on_chosen(command, invocation, std::move(settings), run_promql_test);
}

}  // namespace fairway::cli
