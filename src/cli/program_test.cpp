#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "json/value.hpp"
#include "json/yaml.hpp"

namespace fairway::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome call(std::string_view line, const std::string& called_as = "fairway") {
  std::vector<std::string> arguments{called_as};
  for (std::string_view word : split_words(line)) arguments.emplace_back(word);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = run(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(Program, HelpIsLaidOutLikeKubectl) {
  const Outcome help = call("--help");
  EXPECT_EQ(help.code, ExitCode::Done);
  EXPECT_THAT(help.out, StartsWith("fairway brings updates"));
  EXPECT_THAT(help.out, HasSubstr("\nRun Fairway:\n  up "));
  EXPECT_THAT(help.out, HasSubstr("\nOther Commands:\n  completion "));
  EXPECT_THAT(help.out, HasSubstr("\nUsage:\n  fairway COMMAND [options]\n"));
  EXPECT_THAT(help.out,
              HasSubstr("Use \"fairway <command> --help\" for more information about a given command.\n"));
  EXPECT_THAT(help.out, Not(HasSubstr("__complete")));
  EXPECT_THAT(help.err, IsEmpty());
}

TEST(Program, HelpIsTheSameHoweverItIsAskedFor) {
  const std::string text = call("--help").out;
  EXPECT_EQ(call("").out, text);
  EXPECT_EQ(call("help").out, text);
  EXPECT_EQ(call("-h").out, text);
  EXPECT_EQ(call("help apiserver backup").out, call("apiserver backup --help").out);
}

TEST(Program, HelpOfACommandHasExamplesOptionsAndUsage) {
  const Outcome help = call("apiserver backup --help");
  EXPECT_EQ(help.code, ExitCode::Done);
  EXPECT_THAT(help.out, HasSubstr("\nExamples:\n  # Of the server"));
  EXPECT_THAT(help.out, HasSubstr("--kubeconfig FILE"));
  EXPECT_THAT(help.out, HasSubstr("\nUsage:\n  fairway apiserver backup FILE [options]\n"));
}

TEST(Program, HelpOfACommandThatAlsoHasCommands) {
  const Outcome help = call("apiserver --help");
  EXPECT_THAT(help.out, HasSubstr("\nAvailable Commands:\n  backup "));
  EXPECT_THAT(help.out, HasSubstr("  fairway apiserver COMMAND [options]\n  fairway apiserver [options]\n"));
  EXPECT_THAT(help.out, HasSubstr("(default 127.0.0.1:6443)"));
}

TEST(Program, HelpOfAGroupNamesItsCommandsOnly) {
  const Outcome help = call("promql --help");
  EXPECT_THAT(help.out, HasSubstr("\nUsage:\n  fairway promql COMMAND [options]\n\n"));
}

TEST(Program, GlobalOptionsAreListedByTheirOwnCommand) {
  const Outcome options = call("options");
  EXPECT_THAT(options.out, HasSubstr("--log-level debug|info|warning|error"));
  EXPECT_THAT(call("--help").out, Not(HasSubstr("--log-level")));
}

TEST(Program, AsAPluginItCallsItselfKubectlFairway) {
  const Outcome help = call("apiserver backup --help", "/usr/local/bin/kubectl-fairway");
  EXPECT_THAT(help.out, HasSubstr("\n  kubectl fairway apiserver backup FILE [options]\n"));
  EXPECT_THAT(help.out, HasSubstr("\n  kubectl fairway apiserver backup ./backup.db --data"));
  EXPECT_THAT(call("verison", "kubectl-fairway").err, HasSubstr("for \"kubectl fairway\""));
}

TEST(Program, VersionForPeopleAndPrograms) {
  EXPECT_THAT(call("version").out, StartsWith("Fairway Version: v"));
  const auto as_json = json::parse(call("version -o json").out);
  ASSERT_TRUE(as_json) << as_json.error().describe();
  const auto as_yaml = json::parse_yaml(call("version --output=yaml").out);
  ASSERT_TRUE(as_yaml) << as_yaml.error().describe();
  EXPECT_TRUE(json::same_value(*as_json, *as_yaml));
  const auto& version = as_json->as_object();
  for (const char* name : {"version", "gitCommit", "gitTreeState", "compiler", "platform"}) {
    EXPECT_TRUE(json::get_string(version, {name})) << name;
  }
}

TEST(Program, CompletionWritesAScriptForEachShell) {
  EXPECT_THAT(call("completion bash").out, HasSubstr("complete -F __fairway_complete fairway"));
  EXPECT_THAT(call("completion zsh").out, StartsWith("#compdef fairway"));
  EXPECT_THAT(call("completion fish").out, HasSubstr("complete -c fairway"));
}

struct Wrong {
  const char* line;
  const char* message;
  const char* help;  // which command's help is named
};

class WrongUsage : public testing::TestWithParam<Wrong> {};

TEST_P(WrongUsage, IsExplainedOnStderrAndDoesNothing) {
  const Outcome outcome = call(GetParam().line);
  EXPECT_EQ(outcome.code, ExitCode::WrongUsage);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("error: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_THAT(outcome.err, HasSubstr(std::string("See '") + GetParam().help + " --help' for usage."));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongUsage,
    testing::Values(
        Wrong{"verison", "unknown command \"verison\" for \"fairway\"\n\nDid you mean this?\n\tversion\n",
              "fairway"},
        Wrong{"nothing-like-it", "unknown command \"nothing-like-it\" for \"fairway\"\n\nSee", "fairway"},
        Wrong{"apiserver bakcup x", "Did you mean this?\n\tbackup\n", "fairway apiserver"},
        Wrong{"version --ouptut json", "unknown flag \"--ouptut\"\n\nDid you mean this?\n\t--output\n",
              "fairway version"},
        Wrong{"apiserver backup --dta=x", "unknown flag \"--dta\"", "fairway apiserver backup"},
        Wrong{"version --log-lvel debug", "Did you mean this?\n\t--log-level\n", "fairway version"},
        Wrong{"version more", "unexpected argument \"more\" for \"fairway version\"", "fairway version"},
        Wrong{"version -o jso", "found \"jso\"; did you mean \"json\"?", "fairway version"},
        Wrong{"version -o", "flag --output needs a value: --output json|yaml", "fairway version"},
        Wrong{"completion", "SHELL is required", "fairway completion"},
        Wrong{"completion tcsh", "expected one of bash, zsh, fish, found \"tcsh\"", "fairway completion"},
        Wrong{"apiserver backup", "FILE is required", "fairway apiserver backup"},
        Wrong{"apiserver backup f --data d --kubeconfig k", "--data excludes --kubeconfig",
              "fairway apiserver backup"},
        Wrong{"apiserver --data= --listen 127.0.0.1:0", "flag --data was given an empty value", "fairway"},
        Wrong{"apiserver --data d --store memory", "leave out --data", "fairway apiserver"},
        Wrong{"apiserver --listen here", "the port is missing", "fairway apiserver"},
        Wrong{"apiserver --cluster Not_A_Name", "expected a name of lower-case letters", "fairway apiserver"},
        Wrong{"up --clusters 1000", "expected a whole number from 0 to 100", "fairway up"},
        Wrong{"up --event-ttl 1", "expected a duration such as", "fairway up"},
        Wrong{"--log-format xml version", "expected one of text, json", "fairway version"}));

TEST(Program, HelpOfAnUnknownCommandFails) {
  const Outcome outcome = call("help nothing");
  EXPECT_EQ(outcome.code, ExitCode::Failed);
  EXPECT_THAT(outcome.err, HasSubstr("unknown command \"nothing\""));
}

TEST(Program, ACheckOfNothingFails) {
  const Outcome outcome = call("apiserver check /nonexistent/fairway");
  EXPECT_EQ(outcome.code, ExitCode::Failed);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("error: "));
}

TEST(Program, ABackupOfNothingSaysWhereToLook) {
  const Outcome outcome = call("apiserver backup /nonexistent/b --data /nonexistent/fairway");
  EXPECT_EQ(outcome.code, ExitCode::Failed);
  EXPECT_THAT(outcome.err, HasSubstr("--kubeconfig"));
}

TEST(Program, AFullDiskIsAFailure) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  std::ostringstream err;
  const std::vector<std::string> arguments{"fairway", "version"};
  EXPECT_EQ(run(arguments, out, err), ExitCode::Failed);
  EXPECT_THAT(err.str(), HasSubstr("standard output could not be written"));
}

TEST(Program, CompletesTheCommandLine) {
  const Outcome outcome = call("__complete ver");
  EXPECT_EQ(outcome.code, ExitCode::Done);
  EXPECT_EQ(outcome.out, "version\tPrint the version and what it was built from\n:4\n");
}

TEST(ProgramName, IsTheOneThatTheUserTypes) {
  EXPECT_EQ(program_name("fairway"), "fairway");
  EXPECT_EQ(program_name("./build/fairway"), "fairway");
  EXPECT_EQ(program_name("/usr/bin/kubectl-fairway"), "kubectl fairway");
  EXPECT_EQ(program_name(""), "fairway");
}

}  // namespace
}  // namespace fairway::cli
