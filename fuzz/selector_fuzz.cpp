// Label and field selectors: what is accepted has a canonical text that means the same.
#include <string_view>

#include "kube/core/selector.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(selector, text) {
  using namespace fairway;
  if (const auto selector = kube::Selector::parse(text)) {
    const auto again = kube::Selector::parse(selector->to_string());
    FAIRWAY_CHECK(again && *again == *selector, "a label selector changed on its way through text");
    (void)selector->matches(kube::Labels{{"a", "b"}, {"app", "web"}});
  }
  if (const auto fields = kube::FieldSelector::parse(text)) {
    const auto again = kube::FieldSelector::parse(fields->to_string());
    FAIRWAY_CHECK(again && *again == *fields, "a field selector changed on its way through text");
  }
}
