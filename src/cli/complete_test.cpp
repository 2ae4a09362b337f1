#include "cli/complete.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace fairway::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A small tree of every shape: nested commands, hidden ones, choices, files, repeatable and global flags.
class CompleteTest : public testing::Test {
 protected:
  CompleteTest() {
    root_.set_help_flag("-h,--help", "Help");
    root_.fallthrough();
    root_.add_option("--level", text_, "Level\nMore about it");
    CLI::App& serve = *root_.add_subcommand("serve", "Serve things\n\nAt length");
    serve.group("Run");
    serve.add_option("--data", text_, "Data")->type_name("DIR");
    serve.add_option("--cluster", list_, "Cluster")->type_name("NAME")->allow_extra_args(false);
    serve.add_flag("--fast", flag_, "Fast");
    CLI::App& save = *serve.add_subcommand("save", "Save it");
    save.group("Run");
    save.add_option("FILE", text_, "File")->type_name("FILE");
    choice(*save.add_option("-o,--output", text_, "Output"), {"json", "yaml"});
    CLI::App& shell = *root_.add_subcommand("shell", "Shell");
    shell.group("Run");
    choice(*shell.add_option("SHELL", text_, "Which"), {"bash", "zsh"});
    root_.add_subcommand("secret", "Secret")->group(kHidden);
    root_.add_subcommand("help", "Help")->group("Other");
  }

  Completion at(std::vector<std::string> words) { return complete(root_, words); }

  std::vector<std::string> words_at(std::vector<std::string> words) {
    std::vector<std::string> found;
    for (const Candidate& candidate : at(std::move(words)).candidates) found.push_back(candidate.word);
    return found;
  }

  CLI::App root_;
  std::string text_;
  std::vector<std::string> list_;
  bool flag_ = false;
};

TEST_F(CompleteTest, CommandsWithoutHiddenOnes) {
  EXPECT_THAT(words_at({""}), ElementsAre("serve", "shell", "help"));
  EXPECT_THAT(words_at({"s"}), ElementsAre("serve", "shell"));
  EXPECT_THAT(words_at({"serve", ""}), ElementsAre("save"));
  EXPECT_THAT(words_at({"x"}), IsEmpty());
  EXPECT_THAT(at({"ser"}).candidates, ElementsAre(Candidate{"serve", "Serve things"}));
}

TEST_F(CompleteTest, FlagsOfTheCommandAndOfThoseAbove) {
  EXPECT_THAT(words_at({"serve", "--"}), ElementsAre("--help", "--data", "--cluster", "--fast", "--level"));
  EXPECT_THAT(words_at({"serve", "--da"}), ElementsAre("--data"));
  EXPECT_THAT(at({"--l"}).candidates, ElementsAre(Candidate{"--level", "Level"}));
}

TEST_F(CompleteTest, AFlagThatIsThereIsNotOfferedAgainUnlessItMayBeRepeated) {
  EXPECT_THAT(words_at({"serve", "--data", "d", "--cluster", "a", "--fast", "--"}),
              ElementsAre("--help", "--cluster", "--level"));
}

TEST_F(CompleteTest, ValuesOfFlags) {
  EXPECT_THAT(words_at({"serve", "save", "-o", ""}), ElementsAre("json", "yaml"));
  EXPECT_THAT(words_at({"serve", "save", "--output", "y"}), ElementsAre("yaml"));
  EXPECT_THAT(words_at({"serve", "save", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_EQ(at({"serve", "--data", ""}).files, FileCompletion::Directories);
  EXPECT_EQ(at({"serve", "--cluster", ""}).files, FileCompletion::None);
  EXPECT_THAT(words_at({"serve", "--fast=t"}), IsEmpty());
}

TEST_F(CompleteTest, Arguments) {
  EXPECT_EQ(at({"serve", "save", ""}).files, FileCompletion::Files);
  EXPECT_EQ(at({"serve", "save", "one", ""}).files, FileCompletion::None);
  EXPECT_THAT(words_at({"shell", ""}), ElementsAre("bash", "zsh"));
  EXPECT_THAT(words_at({"shell", "bash", ""}), IsEmpty());
}

TEST_F(CompleteTest, BehindTwoDashesNothingIsAFlagOrACommand) {
  EXPECT_THAT(words_at({"serve", "--", "-"}), IsEmpty());
  EXPECT_THAT(words_at({"serve", "--", ""}), IsEmpty());
  EXPECT_EQ(at({"serve", "save", "--", "-"}).files, FileCompletion::Files);
}

TEST_F(CompleteTest, HelpTakesCommands) {
  EXPECT_THAT(words_at({"help", "se"}), ElementsAre("serve"));
  EXPECT_THAT(words_at({"help", "serve", ""}), ElementsAre("save"));
  EXPECT_THAT(words_at({"help", "nothing", ""}), IsEmpty());
}

TEST_F(CompleteTest, NoWordAtAll) {
  EXPECT_THAT(words_at({}), IsEmpty());
}

TEST(Completion, TextIsCobras) {
  const Completion completion{.candidates = {{"one", "First"}, {"two"}},
                              .files = FileCompletion::Directories};
  EXPECT_EQ(completion.to_text(), "one\tFirst\ntwo\n:16\n");
  EXPECT_EQ(Completion{.files = FileCompletion::Files}.to_text(), ":0\n");
  EXPECT_EQ(Completion{}.to_text(), ":4\n");
}

}  // namespace
}  // namespace fairway::cli
