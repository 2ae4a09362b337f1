#include "updateservice/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"
#include "http/compression.hpp"

namespace fairway::updateservice {
namespace {

using graph::testing::channel;
using graph::testing::data;
using graph::testing::release;
using ::testing::HasSubstr;

std::shared_ptr<const graph::Graph> two_channels(std::string_view extra = "4.7.5") {
  return graph::testing::graph(
      {release("4.6.23"), release("4.7.4", {"4.6.23"}), release("4.7.5", {"4.7.4"})},
      data({{"channels/stable.yaml", channel("stable-4.7", {"4.6.23", "4.7.4"})},
            {"channels/fast.yaml", channel("fast-4.7", {"4.6.23", "4.7.4", extra})},
            {"blocked-edges/a.yaml", "to: 4.7.4\nfrom: .*\nclusters:\n  promql: a\n"}}));
}

std::string body_of(const http::PreparedAnswer& answer) {
  return answer.body() ? answer.body()->to_string() : "";
}

TEST(AnswerForms, HasEveryFormWithATagOfItsOwn) {
  const std::string text(10'000, 'x');
  AnswerForms forms(text, {});
  const FormRequest gzip{.media = Media::Json, .accept_encoding = "gzip"};
  EXPECT_EQ(body_of(*forms.choose(gzip)), text) << "before compress() everyone gets the plain bytes";
  forms.compress();
  EXPECT_EQ(*http::gunzip(body_of(*forms.choose(gzip)), 1 << 20), text);
  EXPECT_EQ(*http::unzstd(body_of(*forms.choose({Media::Json, "gzip, zstd", {}})), 1 << 20), text);
  EXPECT_EQ(body_of(*forms.choose({Media::Json, "gzip;q=0, identity", {}})), text);
  EXPECT_THAT(forms.choose(gzip)->head(), HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(forms.choose(gzip)->head(), HasSubstr("ETag: \"" + forms.tag() + "-gzip\"\r\n"));
  EXPECT_THAT(forms.choose({Media::CincinnatiV1, {}, {}})->head(),
              HasSubstr("Content-Type: application/vnd.redhat.cincinnati.v1+json\r\n"));
  EXPECT_THAT(forms.choose({})->head(), HasSubstr("Vary: Accept, Accept-Encoding, Origin\r\n"));
}

TEST(AnswerForms, Case23SaysNotModifiedToAClientThatHasIt) {
  AnswerForms forms(std::string(1000, 'x'), {});
  forms.compress();
  const std::string tag = "\"" + forms.tag() + "\"";
  const std::string gzip_tag = "\"" + forms.tag() + "-gzip\"";
  struct Case {
    std::string accept_encoding;
    std::string if_none_match;
    int status;
  };
  const Case cases[] = {{"", tag, 304},     {"", "W/" + tag, 304},  {"", "\"other\", " + tag, 304},
                        {"", "*", 304},     {"", gzip_tag, 200},    {"gzip", gzip_tag, 304},
                        {"gzip", tag, 200}, {"", "\"other\"", 200}, {"", forms.tag(), 200}};
  for (const Case& c : cases) {
    const auto answer = forms.choose({Media::Json, c.accept_encoding, c.if_none_match});
    EXPECT_EQ(answer->status(), c.status) << c.accept_encoding << " " << c.if_none_match;
  }
}

TEST(Snapshot, Case29TheSameGraphGivesTheSameBytes) {
  const auto one = Snapshot::make(two_channels(), {}, {});
  const auto two = Snapshot::make(two_channels(), {}, {});
  ASSERT_EQ(one->views().size(), 2U);
  for (std::size_t i = 0; i < one->views().size(); ++i)
    EXPECT_EQ(one->views()[i].forms->tag(), two->views()[i].forms->tag());
}

TEST(Snapshot, Case14And16WhatDoesNotExistIsEmpty) {
  const auto snapshot = Snapshot::make(two_channels(), {}, {});
  EXPECT_EQ(snapshot->find("does-not-exist", "amd64"), nullptr);
  EXPECT_EQ(snapshot->find("stable-4.7", "arrgh64"), nullptr);
  EXPECT_EQ(snapshot->empty().body(), R"({"version":1,"nodes":[],"edges":[],"conditionalEdges":[]})");
}

TEST(Snapshot, AReloadTakesOverWhatDidNotChange) {
  const auto before = Snapshot::make(two_channels(), {}, {});
  before->compress({});
  const auto after = Snapshot::make(two_channels("4.7.4"), {}, {}, before.get());
  EXPECT_NE(after->find("fast-4.7", "amd64")->forms, before->find("fast-4.7", "amd64")->forms);
  EXPECT_EQ(after->empty().tag(), before->empty().tag());
  // The channels that a release is in stand in its metadata, so stable-4.7 is the same only when fast-4.7
  // still has the releases that they share.
  EXPECT_EQ(after->find("stable-4.7", "amd64")->forms, before->find("stable-4.7", "amd64")->forms);
  EXPECT_TRUE(after->find("stable-4.7", "amd64")->forms->is_compressed());
}

TEST(Snapshot, Case76And78TargetedBlocksHoldOnlyWhereTheyAreDecidedById) {
  const auto off = Snapshot::make(two_channels(), {}, {.decides_by_id = false});
  EXPECT_TRUE(off->find("stable-4.7", "amd64")->rules.empty());
  EXPECT_THAT(off->find("stable-4.7", "amd64")->forms->body(), HasSubstr("\"edges\":[[0,1]]"));
  const auto on = Snapshot::make(two_channels(), {}, {.decides_by_id = true});
  const Snapshot::View& view = *on->find("stable-4.7", "amd64");
  EXPECT_EQ(view.rules, (std::vector<graph::RuleId>{0}));
  EXPECT_THAT(view.forms->body(), HasSubstr("\"edges\":[]"));
  EXPECT_THAT(view.forms->choose({})->head(), HasSubstr("Cache-Control: private, no-cache"));
}

TEST(Snapshot, ClientsWithTheSameVerdictsShareOneBody) {
  const auto snapshot = Snapshot::make(two_channels(), {}, {.decides_by_id = true});
  const Snapshot::View& view = *snapshot->find("stable-4.7", "amd64");
  EXPECT_EQ(snapshot->find_variant(view, {}), view.forms);
  const std::vector<graph::RuleId> allowed{0};
  EXPECT_EQ(snapshot->find_variant(view, allowed), nullptr);
  const auto made = snapshot->make_variant(view, allowed);
  EXPECT_THAT(made->body(), HasSubstr("\"edges\":[[0,1]]"));
  EXPECT_EQ(snapshot->find_variant(view, allowed), made);
  EXPECT_EQ(snapshot->make_variant(view, allowed), made);
}

}  // namespace
}  // namespace fairway::updateservice
