// Lists: versions, order, pages.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Lists : public ContractTest {
 protected:
  void make_secrets(std::initializer_list<std::string_view> names) {
    for (std::string_view name : names) create("secrets", secret(name));
  }
  Answer page(std::string limit, const std::string& token) {
    return api().get(with(at("secrets"), {{"limit", std::move(limit)}, {"continue", token}}));
  }
};

CONTRACT(Lists, TheVersionCoversTheItems, "a list's resourceVersion is not older than any of its items") {
  make_secrets({"a", "b"});
  const Answer list = api().get(at("secrets"));
  for (const char* item : {"/items/0/metadata/resourceVersion", "/items/1/metadata/resourceVersion"}) {
    EXPECT_LE(std::stoull(list.text(item)), std::stoull(version_of(list.json)));
  }
}

CONTRACT(Lists, AreSortedByName, "a list is in the order of names") {
  make_secrets({"c", "a", "b-1", "b"});
  EXPECT_EQ(names_of(api().get(at("secrets")).json), (Names{"a", "b", "b-1", "c"}));
}

CONTRACT(Lists, CanBeOfAllNamespaces, "a list without a namespace in its path is of all namespaces") {
  create("secrets", secret("mine", fmt::format("{{metadata: {{labels: {{case: {}}}}}}}", group())));
  const Answer list = api().get(with("/api/v1/secrets", {{"labelSelector", "case=" + group()}}));
  EXPECT_EQ(names_of(list.json), Names{"mine"});
  EXPECT_EQ(list.text("/items/0/metadata/namespace"), ns());
}

CONTRACT(Lists, ComeInPages, "limit bounds a page; continue leads to the next; the last has no token") {
  make_secrets({"a", "b", "c", "d", "e"});
  const Answer first = page("2", "");
  EXPECT_EQ(names_of(first.json), (Names{"a", "b"}));
  EXPECT_EQ(first.text("/metadata/remainingItemCount"), "3");
  const Answer second = page("2", first.text("/metadata/continue"));
  EXPECT_EQ(names_of(second.json), (Names{"c", "d"}));
  EXPECT_EQ(second.text("/metadata/remainingItemCount"), "1");
  const Answer third = page("2", second.text("/metadata/continue"));
  EXPECT_EQ(names_of(third.json), Names{"e"});
  EXPECT_EQ(third.text("/metadata/continue"), "<absent>");
  EXPECT_EQ(third.text("/metadata/remainingItemCount"), "<absent>");
}

CONTRACT(Lists, AllPagesShowOneState,
         "all pages of a list show the state of its first page, whatever is written in between") {
  make_secrets({"a", "b", "c", "d"});
  const Answer first = page("2", "");
  ASSERT_TRUE(answered(api().remove(at("secrets", "c")), 200));
  ASSERT_TRUE(answered(api().merge(at("secrets", "d"), "{metadata: {annotations: {k: v}}}"), 200));
  make_secrets({"bb"});
  const Answer second = page("5", first.text("/metadata/continue"));
  ASSERT_TRUE(answered(second, 200));
  EXPECT_EQ(names_of(second.json), (Names{"c", "d"}));
  EXPECT_EQ(second.text("/items/1/metadata/annotations"), "<absent>");
  EXPECT_EQ(version_of(second.json), version_of(first.json));
}

CONTRACT(Lists, PagesHonourSelectors,
         "pages are of what is selected, and selected lists do not count the rest") {
  for (const char* name : {"a", "b", "c", "d"}) {
    create("secrets", secret(name, name[0] % 2 == 0 ? "{metadata: {labels: {even: x}}}" : "{}"));
  }
  const auto selected = [&](std::string token) {
    return api().get(with(at("secrets"), {{"labelSelector", "even"}, {"limit", "1"}, {"continue", token}}));
  };
  const Answer first = selected("");
  EXPECT_EQ(names_of(first.json), Names{"b"});
  EXPECT_EQ(first.text("/metadata/remainingItemCount"), "<absent>");
  EXPECT_EQ(names_of(selected(first.text("/metadata/continue")).json), Names{"d"});
}

CONTRACT(Lists, APageOfExactlyAll, "a page that holds everything has no continue token") {
  make_secrets({"a", "b"});
  EXPECT_EQ(page("2", "").text("/metadata/continue"), "<absent>");
  EXPECT_EQ(page("0", "").text("/metadata/continue"), "<absent>");
}

CONTRACT(Lists, InvalidTokensAreRefused, "a continue token that the server did not make is 400") {
  for (const char* token : {"nonsense", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "e30="}) {
    SCOPED_TRACE(token);
    EXPECT_TRUE(refused(page("2", token), 400, "BadRequest", "continue"));
  }
}

CONTRACT(Lists, TokensAreWithoutAVersion, "continue and resourceVersion do not go together: 400") {
  make_secrets({"a", "b"});
  const Answer first = page("1", "");
  const Answer second = api().get(with(at("secrets"), {{"limit", "1"},
                                                       {"continue", first.text("/metadata/continue")},
                                                       {"resourceVersion", version_of(first.json)}}));
  EXPECT_TRUE(
      refused(second, 400, "BadRequest", "specifying resource version is not allowed when using continue"));
}

CONTRACT(Lists, OldTokensExpire,
         "a token of a state that is no longer kept is 410 Expired, with a token to go on from now") {
  make_secrets({"a", "b", "c"});
  const Answer first = page("1", "");
  if (!forget_history()) GTEST_SKIP() << "the history of a server in use cannot be made to end";
  make_secrets({"d"});
  const Answer gone = page("1", first.text("/metadata/continue"));
  EXPECT_TRUE(refused(gone, 410, "Expired",
                      "The provided continue parameter is too old to display a consistent list result"));
  const Answer rest = page("5", gone.text("/metadata/continue"));
  ASSERT_TRUE(answered(rest, 200));
  EXPECT_EQ(names_of(rest.json), (Names{"b", "c", "d"}));
}

CONTRACT(Lists, ExactlyAtAVersion, "resourceVersionMatch=Exact shows the state at that version") {
  make_secrets({"a"});
  const Answer before = api().get(at("secrets"));
  make_secrets({"b"});
  const Answer past = api().get(
      with(at("secrets"), {{"resourceVersion", version_of(before.json)}, {"resourceVersionMatch", "Exact"}}));
  ASSERT_TRUE(answered(past, 200));
  EXPECT_EQ(names_of(past.json), Names{"a"});
  EXPECT_EQ(version_of(past.json), version_of(before.json));
}

CONTRACT(Lists, NotOlderThanAVersion, "resourceVersionMatch=NotOlderThan shows that state or a newer one") {
  make_secrets({"a"});
  const Answer made = api().post(at("secrets"), secret("b"));
  const Answer list = api().get(with(
      at("secrets"), {{"resourceVersion", version_of(made.json)}, {"resourceVersionMatch", "NotOlderThan"}}));
  ASSERT_TRUE(answered(list, 200));
  EXPECT_EQ(names_of(list.json), (Names{"a", "b"}));
  EXPECT_GE(std::stoull(version_of(list.json)), std::stoull(version_of(made.json)));
}

CONTRACT(Lists, AnyVersion, "resourceVersion=0 shows any state") {
  EXPECT_TRUE(answered(api().get(with(at("secrets"), {{"resourceVersion", "0"}})), 200));
}

CONTRACT(Lists, MatchingNeedsAVersion, "resourceVersionMatch without resourceVersion is 422") {
  const Answer list = api().get(with(at("secrets"), {{"resourceVersionMatch", "Exact"}}));
  EXPECT_TRUE(
      refused(list, 422, "Invalid", "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  EXPECT_TRUE(has_cause(list, "FieldValueForbidden", "resourceVersionMatch"));
}

CONTRACT(Lists, MatchesHaveNames, "a resourceVersionMatch that is neither Exact nor NotOlderThan is 422") {
  const Answer list =
      api().get(with(at("secrets"), {{"resourceVersion", "1"}, {"resourceVersionMatch", "Newest"}}));
  EXPECT_TRUE(refused(list, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(list, "FieldValueNotSupported", "resourceVersionMatch", R"(Unsupported value: "Newest")"));
}

CONTRACT(Lists, ExactlyAnyVersionIsNothing, "resourceVersionMatch=Exact with resourceVersion=0 is 422") {
  const Answer list =
      api().get(with(at("secrets"), {{"resourceVersion", "0"}, {"resourceVersionMatch", "Exact"}}));
  EXPECT_TRUE(refused(list, 422, "Invalid", R"(is forbidden for resourceVersion "0")"));
}

CONTRACT(Lists, TooLargeVersions,
         "a list not older than a version of the future is 504 with the cause ResourceVersionTooLarge") {
  const Answer list = api().get(with(at("secrets"), {{"resourceVersion", "9000000000000000"}}));
  EXPECT_TRUE(refused(list, 504, "Timeout", "Too large resource version: 9000000000000000, current: "));
  const Value* cause = element(find_at(list.json, "/details/causes"), "reason", "ResourceVersionTooLarge");
  ASSERT_NE(cause, nullptr) << list.body;
  EXPECT_EQ(text_at(*cause, "/message"), "Too large resource version");
}

CONTRACT(Lists, VersionsAreNumbers, "a resourceVersion that is not a number is refused") {
  const Answer list = api().get(with(at("secrets"), {{"resourceVersion", "newest"}}));
  // 400 or 422 by version and by what serves the list; never an answer as if nothing was asked.
  EXPECT_TRUE(list.status == 400 || list.status == 422 || list.status == 500) << list.body;
  EXPECT_EQ(list.text("/kind"), "Status");
}

CONTRACT(Lists, AreNotWatchLists, "sendInitialEvents is for watches: 422 with a list") {
  const Answer list = api().get(with(at("secrets"), {{"sendInitialEvents", "true"}}));
  EXPECT_TRUE(refused(list, 422, "Invalid", "sendInitialEvents is forbidden for list"));
  EXPECT_TRUE(has_cause(list, "FieldValueForbidden", "sendInitialEvents"));
}

CONTRACT(Lists, OfCustomObjects,
         "a list of custom objects has the definition's listKind, and items with their kind") {
  define();
  create_widget(widget("a"));
  const Answer list = api().get(widgets());
  EXPECT_EQ(list.text("/kind"), "WidgetList");
  EXPECT_EQ(list.text("/apiVersion"), group() + "/v1");
  EXPECT_EQ(list.text("/items/0/kind"), "Widget");
  EXPECT_EQ(list.text("/items/0/apiVersion"), group() + "/v1");
}

}  // namespace
}  // namespace fairway::contract
