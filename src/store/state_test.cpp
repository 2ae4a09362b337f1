#include "store/state.hpp"

#include <gtest/gtest.h>

#include "store/testing/store_fixture.hpp"

namespace fairway::store {
namespace {

EntryPtr entry(const std::string& ns, const std::string& name, Revision revision = 1,
               const std::string& value = "v") {
  return std::make_shared<const Entry>(Entry{
      .key = key_of(name, ns), .revision = revision, .create_revision = revision, .value = text_of(value)});
}

class StateTest : public ::testing::Test {
 protected:
  StateTest() {
    for (const auto& [ns, name] :
         {std::pair{"a", "1"}, {"a", "2"}, {"a-b", "1"}, {"ab", "1"}, {"b", "1"}, {"b", "3"}})
      state_.insert(entry(ns, name));
  }

  std::string list(Query query, const Overlay& earlier = {}) {
    query.cluster = "hub";
    query.resource = "/configmaps";
    const Page page = state_.list(query, earlier);
    std::string text;
    for (const EntryPtr& found : page.entries) text += found->key.ns + "/" + found->key.name + " ";
    if (page.has_more) text += "…";
    if (page.remaining) text += std::to_string(*page.remaining);
    return text;
  }

  State state_;
};

TEST_F(StateTest, ListsInTheOrderOfNamespaceAndName) {
  EXPECT_EQ(list({}), "a/1 a/2 a-b/1 ab/1 b/1 b/3 ");
}

// A namespace must not bring along others that begin with the same letters.
TEST_F(StateTest, ListsOneNamespace) {
  EXPECT_EQ(list({.ns = "a"}), "a/1 a/2 ");
  EXPECT_EQ(list({.ns = "b"}), "b/1 b/3 ");
  EXPECT_EQ(list({.ns = "c"}), "");
  EXPECT_EQ(list({.ns = ""}), "");
}

TEST_F(StateTest, PagesFollowEachOther) {
  EXPECT_EQ(list({.limit = 4}), "a/1 a/2 a-b/1 ab/1 …2");
  EXPECT_EQ(list({.after = Position{"ab", "1"}, .limit = 4}), "b/1 b/3 ");
  EXPECT_EQ(list({.after = Position{"a", "15"}, .limit = 1}), "a/2 …4");
  EXPECT_EQ(list({.after = Position{"b", "3"}}), "");
  EXPECT_EQ(list({.limit = 6}), "a/1 a/2 a-b/1 ab/1 b/1 b/3 ");
}

TEST_F(StateTest, PagesWithinANamespace) {
  EXPECT_EQ(list({.ns = "b", .after = Position{"b", "1"}}), "b/3 ");
  EXPECT_EQ(list({.ns = "b", .after = Position{"a", "2"}}), "b/1 b/3 ");
  EXPECT_EQ(list({.ns = "a", .after = Position{"b", "1"}}), "");
  EXPECT_EQ(list({.ns = "a", .after = Position{"a", "2"}}), "");
}

TEST_F(StateTest, TheLimitCountsWhatMatches) {
  const auto is_first = [](const Entry& found) { return found.key.name == "1"; };
  EXPECT_EQ(list({.limit = 2, .matches = is_first}), "a/1 a-b/1 …");
  EXPECT_EQ(list({.limit = 4, .matches = is_first}), "a/1 a-b/1 ab/1 b/1 ");
}

TEST_F(StateTest, AnOverlayShowsTheEarlierState) {
  const Overlay earlier = {{{"a", "1"}, nullptr},             // created since
                           {{"a", "3"}, entry("a", "3")},     // deleted since
                           {{"b", "3"}, entry("b", "3", 9)},  // updated since
                           {{"zz", "1"}, entry("zz", "1")}};
  EXPECT_EQ(list({}, earlier), "a/2 a/3 a-b/1 ab/1 b/1 b/3 zz/1 ");
  EXPECT_EQ(list({.ns = "a"}, earlier), "a/2 a/3 ");
  EXPECT_EQ(list({.after = Position{"a", "2"}, .limit = 1}, earlier), "a/3 …5");
  const Page page = state_.list({.cluster = "hub", .resource = "/configmaps", .ns = "b"}, earlier);
  ASSERT_EQ(page.entries.size(), 2U);
  EXPECT_EQ(page.entries[1]->revision, 9U);
}

TEST_F(StateTest, CountsFollowChanges) {
  const Scope scope{"hub", "/configmaps"};
  EXPECT_EQ(state_.count(scope, std::nullopt), 6U);
  EXPECT_EQ(state_.count(scope, "a"), 2U);
  EXPECT_EQ(state_.count(scope, "none"), 0U);
  state_.apply({ChangeKind::Deleted, 2, entry("a", "1", 2), entry("a", "1")});
  state_.apply({ChangeKind::Deleted, 3, entry("a", "2", 3), entry("a", "2")});
  state_.apply({ChangeKind::Created, 4, entry("c", "1", 4), nullptr});
  EXPECT_EQ(state_.count(scope, "a"), 0U);
  EXPECT_EQ(state_.count(scope, "c"), 1U);
  EXPECT_EQ(state_.size(), 5U);
  ASSERT_EQ(state_.resources().size(), 1U);
  EXPECT_EQ(state_.resources()[0].count, 5U);
}

TEST_F(StateTest, AKeyIsInsertedOnce) {
  EXPECT_FALSE(state_.insert(entry("a", "1", 7)));
  EXPECT_EQ(state_.get(key_of("1", "a"))->revision, 1U);
}

}  // namespace
}  // namespace fairway::store
