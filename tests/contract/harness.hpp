// The frame of every case: the rule that it checks, the server, a namespace and an API group of its own.
//
// CONTRACT(Theme, Name, "the rule in Kubernetes' terms") { … } is a GoogleTest case whose rule stands in the
// test report and beside each failure; contract_test --rules prints all of them. A case that needs the
// controller manager says CONTRACT_WITH_CONTROLLERS and is skipped on a bare kube-apiserver. Cases share the
// server, which may be a real one in use: each works in a fresh namespace and with definitions of its own.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.hpp"
#include "objects.hpp"
#include "target.hpp"

namespace fairway::contract {

struct Rule {
  std::string theme;
  std::string name;
  std::string text;
  bool needs_controllers = false;
};

const std::vector<Rule>& rules();

struct RegisteredRule {
  RegisteredRule(const char* theme, const char* name, const char* text, bool needs_controllers);
};

// Which server; to be said before the first case runs. Without a path: the embedded one.
void use_named_server(std::string kubeconfig);
// Stops what was started. After the last case.
void close_server();

class ContractTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Target& target() { return *target_; }
  Api& api() { return *api_; }
  Api anonymous();
  Api bearer_of(const std::string& token);

  // A name that nobody else uses.
  static std::string unique(std::string_view prefix);
  // The case's own namespace, made when it is first asked for.
  const std::string& ns();
  // The API group of the case's own definitions.
  const std::string& group() const { return group_; }

  // /api/v1/namespaces/NS/PLURAL[/NAME[/SUBRESOURCE]], with the group that the built-in resource is in.
  std::string at(std::string_view plural, std::string_view name = "", std::string_view subresource = "");
  // Of the case's own widgets.
  std::string widgets(std::string_view name = "", std::string_view subresource = "",
                      std::string_view version = "v1");
  std::string crd_path(std::string_view subresource = "") const;

  // The stored object; a failure of the case when the server does not answer 201.
  Value create(std::string_view plural, const Body& object);
  Value create_widget(const Body& object);
  // A widget: its name and the rest of it.
  Value widget(std::string_view name, const Body& rest = "{}") const;
  // The definition of widgets in group(): whatever is in spec and status is kept, status is a subresource.
  Value widget_crd() const;
  // The same with this schema of spec.
  Value widget_crd(const Body& spec_schema) const;
  // Creates the definition and waits until its objects are served.
  void define(const Value& crd);
  void define() { define(widget_crd()); }
  // Waits until the definition's condition of that type has a status; gives the condition.
  Value wait_for_crd_condition(std::string_view type, std::string_view status);

  // As a client that was away for long finds the server: the versions so far are forgotten. False where that
  // cannot be brought about.
  bool forget_history();

 private:
  const Rule* rule_ = nullptr;
  std::optional<testing::ScopedTrace> trace_;
  Target* target_ = nullptr;
  std::optional<Api> api_;
  std::string ns_;
  std::string group_;
  std::vector<std::string> to_remove_;
};

// Whether the server answered so; the answer's body is told where not.
testing::AssertionResult answered(const Answer& answer, int status);
// Whether it is a metav1.Status with this code, reason and a part of the message, whole and consistent.
testing::AssertionResult refused(const Answer& answer, int code, std::string_view reason,
                                 std::string_view message = "");
// Whether details.causes has one with this reason and field, and a part of its message.
testing::AssertionResult has_cause(const Answer& answer, std::string_view reason, std::string_view field,
                                   std::string_view message = "");
// Whether a text holds a part.
testing::AssertionResult contains(std::string_view text, std::string_view part);

}  // namespace fairway::contract

#define CONTRACT_CASE_(theme, name, rule, needs_controllers)                                     \
  static const ::fairway::contract::RegisteredRule rule_of_##theme##_##name{#theme, #name, rule, \
                                                                            needs_controllers};  \
  TEST_F(theme, name)
#define CONTRACT(theme, name, rule) CONTRACT_CASE_(theme, name, rule, false)
#define CONTRACT_WITH_CONTROLLERS(theme, name, rule) CONTRACT_CASE_(theme, name, rule, true)
