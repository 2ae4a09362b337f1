#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/program.hpp"
#include "json/value.hpp"

namespace fairway::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

class PromqlEval : public testing::Test {
 protected:
  PromqlEval() {
    std::string pattern = testing::TempDir() + "promql_eval_XXXXXX";  // tests run side by side
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PromqlEval() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  static Ran promql(std::vector<std::string> words) {
    words.insert(words.begin(), {"fairway", "promql"});
    std::ostringstream out, err;
    const auto code = run(words, out, err);
    return {static_cast<int>(code), out.str(), err.str()};
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(PromqlEval, PrintsSamplesAndTheVerdict) {
  const std::string metrics = file("m.txt", "up{job=\"a\"} 1\nup{job=\"b\"} 0\n");
  const Ran applies =
      promql({"eval", "group(up == 1) or 0 * group(up)", "--metrics", metrics, "--at", "100"});
  EXPECT_EQ(applies.code, 0) << applies.err;
  EXPECT_EQ(applies.out, "{} => 1 @[100]\nrisk: applies\n");
  const Ran not_applies = promql({"eval", "0 * group(up)", "--metrics", metrics, "--at", "100"});
  EXPECT_EQ(not_applies.out, "{} => 0 @[100]\nrisk: does not apply\n");
  const Ran unknown = promql({"eval", "down", "--metrics", metrics, "--at", "1970-01-01T00:01:40Z"});
  EXPECT_EQ(unknown.code, 0);
  EXPECT_EQ(unknown.out, "no series\nrisk: unknown (expected exactly one sample, found 0)\n");
}

TEST_F(PromqlEval, SeveralFilesAndTheNewestSampleAsTheTime) {
  const std::string text = file("a.txt", "a 1 5000\nnow 7\n");
  const std::string open_metrics = file("b.om", "b 2 6.5\n# EOF\n");
  const Ran ran = promql({"eval", "a + b + now", "--metrics", text, "--metrics", open_metrics});
  EXPECT_EQ(ran.out, "{} => 10 @[6.5]\nrisk: unknown (expected the value 0 or 1, found 10)\n");
}

TEST_F(PromqlEval, ExplainsEverySubExpression) {
  const std::string metrics = file("m.txt", "up{job=\"a\"} 1\n");
  const Ran ran = promql({"eval", "sum(up)", "--metrics", metrics, "--at", "0", "--explain"});
  EXPECT_EQ(ran.out, "sum(up)\n  => {} 1\n  up\n    => up{job=\"a\"} 1\n\n{} => 1 @[0]\nrisk: applies\n");
}

TEST_F(PromqlEval, AnswersOverTime) {
  const std::string metrics = file("m.om", "x_total 1 0\nx_total 4 60\n# EOF\n");
  const Ran ran = promql({"eval", "x_total", "--metrics", metrics, "--start", "0", "--step", "30s"});
  EXPECT_EQ(ran.out, "x_total =>\n1 @[0]\n1 @[30]\n4 @[60]\n");
}

TEST_F(PromqlEval, JsonIsThatOfTheApiWithTheRiskBeside) {
  const std::string metrics = file("m.om", "x 1 0\nx 4 60\n# EOF\n");
  const Ran ran = promql({"eval", "rate(x[5m])", "--metrics", metrics, "-o", "json"});
  const auto value = json::parse(ran.out);
  ASSERT_TRUE(value) << ran.out;
  const json::Object& envelope = value->as_object();
  EXPECT_EQ(json::get_string(envelope, {"status"}), "success");
  EXPECT_EQ(json::get_string(envelope, {"data", "resultType"}), "vector");
  EXPECT_EQ(json::get_string(envelope, {"risk", "verdict"}), "unknown");
  ASSERT_EQ(json::get_array(envelope, {"infos"})->size(), 1u);
}

TEST_F(PromqlEval, AnErrorIsUnknownAndEndsWithOne) {
  const std::string metrics = file("m.txt", "up{job=\"a\"} 1\nup{job=\"b\"} 1\n");
  const Ran ran = promql({"eval", "up + on () up", "--metrics", metrics});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.out.starts_with("risk: unknown (found duplicate series for the match group {}")) << ran.out;
  EXPECT_TRUE(ran.err.starts_with("error: found duplicate series")) << ran.err;
}

TEST_F(PromqlEval, SaysWhatIsWrongWithTheInput) {
  const std::string metrics = file("m.txt", "up{job=\"a\" 1\n");
  const Ran broken = promql({"eval", "up", "--metrics", metrics});
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.err.find("line 1, column 12: expected \",\" or \"}\" after a label"), std::string::npos)
      << broken.err;
  EXPECT_EQ(promql({"eval", "up +", "--metrics", file("ok.txt", "up 1\n")}).code, 1);
  EXPECT_EQ(promql({"eval", "up", "--metrics", file("ok.txt", "up 1\n"), "--at", "noon"}).code, 1);
  EXPECT_EQ(promql({"eval", "up"}).code, 2);
  EXPECT_EQ(promql({"eval", "up", "--metrics", metrics, "--end", "5"}).code, 2);
}

TEST_F(PromqlEval, LimitsCanBeSet) {
  const std::string metrics = file("m.txt", "up{job=\"a\"} 1\nup{job=\"b\"} 1\n");
  const Ran ran = promql({"eval", "up", "--metrics", metrics, "--max-samples", "1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("more than the limit of 1 samples"), std::string::npos) << ran.err;
}

TEST_F(PromqlEval, RunsTests) {
  const std::string good = file("good.test", "load 1m\n  x 1 2\n\neval instant at 1m x\n  x 2\n");
  const Ran passed = promql({"test", good});
  EXPECT_EQ(passed.code, 0);
  EXPECT_EQ(passed.out, "1 passed, 0 failed\n");
  const std::string bad = file("bad.test", "eval instant at 0 1\n  2\n");
  const Ran failed = promql({"test", good, bad});
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.out, bad + ":1: eval instant at 0 1: expected scalar 2 but got 1\n1 passed, 1 failed\n");
}

}  // namespace
}  // namespace fairway::cli
