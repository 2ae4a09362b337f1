#include "harness.hpp"

#include <atomic>
#include <fmt/format.h>
#include <map>
#include <random>

#include "base/text.hpp"

namespace fairway::contract {
namespace {

std::vector<Rule>& registered() {
  static std::vector<Rule> all;
  return all;
}

struct Server {
  std::string kubeconfig;  // empty: the embedded one
  std::optional<Result<std::unique_ptr<Target>>> target;

  Result<std::unique_ptr<Target>>& get() {
    if (!target) target = kubeconfig.empty() ? Target::embedded() : Target::named(kubeconfig);
    return *target;
  }
};

Server& server() {
  static Server one;
  return one;
}

// The API groups of the built-in resources that cases use by their plural alone.
std::string prefix_of(std::string_view plural) {
  static const std::map<std::string_view, std::string_view> kGroups{
      {"deployments", "apps/v1"},
      {"leases", "coordination.k8s.io/v1"},
      {"roles", "rbac.authorization.k8s.io/v1"},
      {"rolebindings", "rbac.authorization.k8s.io/v1"}};
  const auto found = kGroups.find(plural);
  return found == kGroups.end() ? "/api/v1" : "/apis/" + std::string(found->second);
}

std::string joined_path(std::string path, std::string_view name, std::string_view subresource) {
  if (!name.empty()) path += fmt::format("/{}", name);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

}  // namespace

const std::vector<Rule>& rules() {
  return registered();
}

RegisteredRule::RegisteredRule(const char* theme, const char* name, const char* text,
                               bool needs_controllers) {
  registered().push_back({theme, name, text, needs_controllers});
}

void use_named_server(std::string kubeconfig) {
  server().kubeconfig = std::move(kubeconfig);
}

void close_server() {
  server().target.reset();
}

void ContractTest::SetUp() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  for (const Rule& rule : rules()) {
    if (rule.theme == info->test_suite_name() && rule.name == info->name()) rule_ = &rule;
  }
  ASSERT_NE(rule_, nullptr) << "a case of this suite is written with CONTRACT(theme, name, rule)";
  RecordProperty("rule", rule_->text);
  trace_.emplace(info->file(), info->line(), "rule: " + rule_->text);
  auto& started = server().get();
  ASSERT_TRUE(started.has_value()) << "no server to test: " << started.error().describe();
  target_ = started->get();
  auto administrator = target_->administrator();
  ASSERT_TRUE(administrator.has_value()) << administrator.error().describe();
  api_.emplace(*std::move(administrator));
  group_ = unique("g") + ".contract.example.com";
  if (rule_->needs_controllers && !target_->has_controllers()) {
    GTEST_SKIP() << "needs a controller manager: set CONTRACT_HAS_CONTROLLERS=1 where one runs";
  }
}

void ContractTest::TearDown() {
  // The embedded server goes with the process; a real one is left as it was found.
  if (api_ && !target_->is_embedded()) {
    for (auto path = to_remove_.rbegin(); path != to_remove_.rend(); ++path) api_->remove(*path);
  }
  api_.reset();
  trace_.reset();
}

Api ContractTest::anonymous() {
  auto made = target_->anonymous();
  FAIRWAY_CHECK(made.has_value(), "an administrator could connect, a client without a name cannot");
  return *std::move(made);
}

Api ContractTest::bearer_of(const std::string& token) {
  auto made = target_->bearer_of(token);
  FAIRWAY_CHECK(made.has_value(), "an administrator could connect, the bearer of a token cannot");
  return *std::move(made);
}

std::string ContractTest::unique(std::string_view prefix) {
  static const unsigned run = std::random_device{}();
  static std::atomic<int> count = 0;
  return fmt::format("{}-{:08x}-{}", prefix, run, ++count);
}

const std::string& ContractTest::ns() {
  if (!ns_.empty()) return ns_;
  ns_ = unique("contract");
  const Answer made = api().post("/api/v1/namespaces", object("v1", "Namespace", ns_));
  EXPECT_TRUE(answered(made, 201));
  to_remove_.push_back("/api/v1/namespaces/" + ns_);
  return ns_;
}

std::string ContractTest::at(std::string_view plural, std::string_view name, std::string_view subresource) {
  return joined_path(fmt::format("{}/namespaces/{}/{}", prefix_of(plural), ns(), plural), name, subresource);
}

std::string ContractTest::widgets(std::string_view name, std::string_view subresource,
                                  std::string_view version) {
  return joined_path(fmt::format("/apis/{}/{}/namespaces/{}/widgets", group_, version, ns()), name,
                     subresource);
}

std::string ContractTest::crd_path(std::string_view subresource) const {
  return joined_path("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "widgets." + group_,
                     subresource);
}

Value ContractTest::create(std::string_view plural, const Body& object) {
  Answer made = api().post(at(plural), object);
  EXPECT_TRUE(answered(made, 201));
  return std::move(made.json);
}

Value ContractTest::create_widget(const Body& object) {
  Answer made = api().post(widgets(), object);
  EXPECT_TRUE(answered(made, 201));
  return std::move(made.json);
}

Value ContractTest::widget(std::string_view name, const Body& rest) const {
  return object(group_ + "/v1", "Widget", name, rest);
}

Value ContractTest::widget_crd() const {
  return widget_crd("{type: object, x-kubernetes-preserve-unknown-fields: true}");
}

Value ContractTest::widget_crd(const Body& spec_schema) const {
  Value crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets." + group_, R"(
spec:
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wdg]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)");
  set(crd, "/spec/group", Value(group_));
  set(crd, "/spec/versions/0/schema/openAPIV3Schema/properties/spec", spec_schema);
  return crd;
}

void ContractTest::define(const Value& crd) {
  const Answer made = api().post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
  ASSERT_TRUE(answered(made, 201));
  to_remove_.push_back(crd_path());
  wait_for_crd_condition("Established", "True");
  const std::string list = fmt::format("/apis/{}/{}/{}", group_, made.text("/spec/versions/0/name"),
                                       made.text("/spec/names/plural"));
  ASSERT_TRUE(api().eventually([&] { return api().get(list).status == 200; })) << list << " is not served";
}

Value ContractTest::wait_for_crd_condition(std::string_view type, std::string_view status) {
  Watch watch = api().watch(with("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                                 {{"fieldSelector", "metadata.name=widgets." + group_}}));
  for (;;) {
    const WatchEvent event = watch.next();
    if (event.type.empty() || event.type == "ERROR") break;
    const Value* condition = element(find_at(event.object, "/status/conditions"), "type", type);
    if (condition != nullptr && text_at(*condition, "/status") == status) return *condition;
  }
  ADD_FAILURE() << "the definition never had the condition " << type << "=" << status;
  return nullptr;
}

bool ContractTest::forget_history() {
  if (!target().is_embedded()) return false;
  const std::string name = unique("busy");
  create("configmaps", config_map(name));
  for (std::size_t i = 0; i < kHistoryChanges * 5 / 4; ++i) {
    const Answer written = api().merge(at("configmaps", name), fmt::format("{{data: {{count: '{}'}}}}", i));
    if (written.status != 200) return false;
  }
  return true;
}

testing::AssertionResult answered(const Answer& answer, int status) {
  if (answer.status == status) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected status " << status << ", got " << answer.status << ": "
                                     << answer.body.substr(0, 2000);
}

testing::AssertionResult refused(const Answer& answer, int code, std::string_view reason,
                                 std::string_view message) {
  if (auto right = answered(answer, code); !right) return right;
  const std::map<std::string_view, std::string> wanted{{"/kind", "Status"},
                                                       {"/apiVersion", "v1"},
                                                       {"/status", "Failure"},
                                                       {"/code", fmt::to_string(code)},
                                                       {"/reason", std::string(reason)}};
  for (const auto& [pointer, text] : wanted) {
    if (answer.text(pointer) != text) {
      return testing::AssertionFailure()
             << "expected " << text << " at " << pointer << " in " << answer.body.substr(0, 2000);
    }
  }
  return contains(answer.text("/message"), message);
}

testing::AssertionResult has_cause(const Answer& answer, std::string_view reason, std::string_view field,
                                   std::string_view message) {
  const Value* causes = find_at(answer.json, "/details/causes");
  if (causes != nullptr && causes->is_array()) {
    for (const Value& cause : causes->get_array()) {
      if (text_at(cause, "/reason") == reason && text_at(cause, "/field") == field &&
          text_at(cause, "/message").contains(message)) {
        return testing::AssertionSuccess();
      }
    }
  }
  return testing::AssertionFailure() << "expected a cause " << reason << " of " << field << " with "
                                     << quoted(message) << ", got " << answer.body.substr(0, 2000);
}

testing::AssertionResult contains(std::string_view text, std::string_view part) {
  if (text.contains(part)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected " << quoted(part) << " in " << text.substr(0, 2000);
}

}  // namespace fairway::contract
