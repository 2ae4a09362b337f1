#include "async/process.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway {
namespace {

using namespace std::chrono_literals;

// A clock that says that all time is over as soon as the program was started.
class ImpatientClock final : public Clock {
 public:
  WallTime now() const override { return {}; }
  SteadyTime steady() const override { return SteadyTime{calls_++ == 0 ? 0s : 1h}; }

 private:
  mutable int calls_ = 0;
};

Result<ProcessResult> shell(std::string script, std::string input = {}) {
  SystemClock clock;
  return SystemProcess(clock).run({.program = "sh",
                                   .arguments = {"-c", std::move(script), "sh", "a b", "$(echo no)"},
                                   .environment = {{"FAIRWAY_PROCESS_TEST", "given"}},
                                   .input = std::move(input)});
}

TEST(Process, GivesOutputErrorsAndExitCode) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->error_output, "err\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(Process, PassesArgumentsUntouchedAndTheEnvironment) {
  const auto result = shell("echo \"$1|$2|$FAIRWAY_PROCESS_TEST\"; test -n \"$PATH\"");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "a b|$(echo no)|given\n");
  EXPECT_EQ(result->exit_code, 0) << "our own environment is missing";
}

TEST(Process, MovesLargeInputAndOutputAtTheSameTime) {
  const std::string input(3'000'000, 'x');
  const auto result = shell("cat", input);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), input.size());
}

TEST(Process, AProgramThatReadsNothingEndsInPeace) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto result = shell("exit 0", std::string(1'000'000, 'x'));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 0);
}

TEST(Process, ASignalIsAnExitCodeAsInShells) {
  const auto result = shell("kill -9 $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 137);
}

TEST(Process, SaysWhatItCouldNotRun) {
  SystemClock clock;
  const auto result = SystemProcess(clock).run({.program = "fairway-no-such-program"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::NotFound);
  EXPECT_EQ(result.error().message, "cannot run \"fairway-no-such-program\": No such file or directory");
}

TEST(Process, KillsWhatOverstays) {
  ImpatientClock clock;
  const auto result = SystemProcess(clock).run({.program = "sleep", .arguments = {"1000"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Timeout);
  EXPECT_EQ(result.error().describe(), "running \"sleep\": did not end within 1m0s");
}

TEST(Process, BoundsItsOutput) {
  SystemClock clock;
  const auto result = SystemProcess(clock).run({.program = "yes", .max_output = 100'000});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Invalid);
}

TEST(Process, DoesNotWaitForADescendantThatKeepsThePipesOpen) {
  const auto result = shell("sleep 1000 & echo $!");
  ASSERT_TRUE(result);
  const auto descendant = parse_unsigned(trim(result->output));
  ASSERT_TRUE(descendant) << result->output;
  EXPECT_EQ(::kill(static_cast<pid_t>(*descendant), SIGKILL), 0) << "it ended before";
}

}  // namespace
}  // namespace fairway
