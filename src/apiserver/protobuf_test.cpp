#include "apiserver/protobuf.hpp"

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

#include "apiserver/catalog.hpp"
#include "apiserver/protobuf_messages.hpp"

namespace fairway::apiserver {
namespace {

// The wire format, as Go's encoder writes it.
class Message {
 public:
  Message& number(int field, std::int64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& fixed64(int field, double value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 1);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(bits >> (8 * i));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  Message& entry(int field, std::string_view key, std::string_view value) {
    return message(field, Message().text(1, key).text(2, value));
  }
  Message& entry(int field, std::string_view key, const Message& value) {
    return entry(field, key, value.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

std::string body(std::string_view api_version, std::string_view kind, const Message& content) {
  return std::string("k8s\0", 4) + Message()
                                       .message(1, Message().text(1, api_version).text(2, kind))
                                       .message(2, content)
                                       .text(3, "")
                                       .text(4, "")
                                       .bytes();
}

// Metadata with the zeros that are always written.
Message meta(std::string_view name) {
  return Message()
      .text(1, name)
      .text(2, "")
      .text(3, "")
      .text(4, "")
      .text(5, "")
      .text(6, "")
      .number(7, 0)
      .text(8, "");
}

void expect_decodes(const std::string& bytes, std::string_view expected) {
  const auto decoded = decode_protobuf_body(bytes);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().describe();
  const auto wanted = json::parse_object(expected);
  ASSERT_TRUE(wanted.has_value()) << wanted.error().describe();
  EXPECT_TRUE(json::same_value(*decoded, *wanted)) << json::serialize(*decoded);
}

void expect_refused(const std::string& bytes, std::string_view part, ErrorCode code = ErrorCode::Invalid) {
  const auto decoded = decode_protobuf_body(bytes);
  ASSERT_FALSE(decoded.has_value()) << json::serialize(*decoded);
  EXPECT_EQ(decoded.error().code, code);
  EXPECT_NE(decoded.error().describe().find(part), std::string::npos) << decoded.error().describe();
}

TEST(Protobuf, Namespace) {
  expect_decodes(
      body("v1", "Namespace",
           Message().message(1, meta("a")).message(2, Message()).message(3, Message().text(1, ""))),
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"},"spec":{},"status":{}})");
}

// What `kubectl create configmap` sends; the time is that of a stored object that is written again.
TEST(Protobuf, ConfigMap) {
  Message metadata = meta("a");
  metadata.message(8, Message().number(1, 1'709'208'000).number(2, 0))
      .entry(11, "app", "")
      .message(13, Message().text(5, "u").text(1, "Pod").text(3, "p").text(4, "1").number(6, 0));
  expect_decodes(body("v1", "ConfigMap",
                      Message()
                          .message(1, metadata)
                          .entry(2, "k", "v")
                          .entry(2, "empty", "")
                          .entry(3, "b", std::string_view("\xff\0", 2))
                          .number(4, 0)),
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",
                     "creationTimestamp":"2024-02-29T12:00:00Z","labels":{"app":""},
                     "ownerReferences":[{"apiVersion":"u","kind":"Pod","name":"p","uid":"1","controller":false}]},
                     "data":{"k":"v","empty":""},"binaryData":{"b":"/wA="},"immutable":false})");
}

TEST(Protobuf, Secret) {
  expect_decodes(body("v1", "Secret",
                      Message()
                          .message(1, meta("a"))
                          .entry(2, "password", "secret\n")
                          .message(2, Message().text(1, "none"))
                          .text(3, "Opaque")),
                 R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},
                     "data":{"password":"c2VjcmV0Cg==","none":""},"type":"Opaque"})");
}

TEST(Protobuf, Role) {
  expect_decodes(body("rbac.authorization.k8s.io/v1", "Role",
                      Message()
                          .message(1, meta("a"))
                          .message(2, Message().text(1, "get").text(1, "list").text(2, "").text(3, "pods"))
                          .message(2, Message().text(5, "/healthz"))),
                 R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"a"},
          "rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]},
                   {"nonResourceURLs":["/healthz"],"verbs":[]}]})");
}

TEST(Protobuf, Deployment) {
  const Message probe = Message()
                            .message(1, Message().message(2, Message().text(1, "/").message(
                                                                 2, Message().number(1, 1).text(3, "http"))))
                            .number(2, 0)
                            .number(3, 5);
  const Message container =
      Message()
          .text(1, "c")
          .text(2, "nginx")
          .message(6, Message().text(1, "http").number(2, 0).number(3, 80))
          .message(7,
                   Message().text(1, "A").text(2, "").message(
                       3, Message().message(3, Message().message(1, Message().text(1, "cm")).text(2, "k"))))
          .message(8, Message().entry(1, "cpu", Message().text(1, "500m")))
          .message(10, probe)
          .message(15, Message().number(2, 0).number(6, 0).number(4, -1))
          .number(16, 0);
  const Message volume = Message().text(1, "v").message(
      2, Message().message(19, Message().message(1, Message().text(1, "cm")).number(3, 420)));
  const Message pod = Message().message(1, volume).message(2, container).number(25, -10).text(9, "");
  const Message spec =
      Message()
          .number(1, 0)
          .message(2, Message().entry(1, "app", "a"))
          .message(3, Message().message(1, meta("").entry(11, "app", "a")).message(2, pod))
          .message(4, Message()
                          .text(1, "RollingUpdate")
                          .message(2, Message()
                                          .message(1, Message().number(1, 0).number(2, 0).text(3, ""))
                                          .message(2, Message().number(1, 1).number(2, 0).text(3, "25%"))))
          .number(5, 0)
          .number(7, 0);
  expect_decodes(body("apps/v1", "Deployment",
                      Message().message(1, meta("a")).message(2, spec).message(3, Message().number(1, 0))),
                 R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"status":{},
    "spec":{"replicas":0,"selector":{"matchLabels":{"app":"a"}},
      "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":"25%"}},
      "template":{"metadata":{"labels":{"app":"a"}},"spec":{"priority":-10,
        "volumes":[{"name":"v","configMap":{"name":"cm","defaultMode":420}}],
        "containers":[{"name":"c","image":"nginx","ports":[{"name":"http","containerPort":80}],
          "env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"cm","key":"k"}}}],
          "resources":{"limits":{"cpu":"500m"}},
          "livenessProbe":{"httpGet":{"path":"/","port":"http"},"timeoutSeconds":5},
          "securityContext":{"privileged":false,"readOnlyRootFilesystem":false,"runAsUser":-1}}]}}}})");
}

// The port of a service that was not given is zero on the wire, as in Go.
TEST(Protobuf, Service) {
  expect_decodes(
      body("v1", "Service",
           Message()
               .message(1, meta("a"))
               .message(2, Message()
                               .message(1, Message()
                                               .text(1, "")
                                               .text(2, "TCP")
                                               .number(3, 80)
                                               .message(4, Message().number(1, 0).number(2, 0).text(3, ""))
                                               .number(5, 0))
                               .entry(2, "app", "a")
                               .text(3, "None"))),
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},
          "spec":{"ports":[{"protocol":"TCP","port":80}],"selector":{"app":"a"},"clusterIP":"None"}})");
}

TEST(Protobuf, TokenRequest) {
  expect_decodes(body("authentication.k8s.io/v1", "TokenRequest",
                      Message()
                          .message(1, meta(""))
                          .message(2, Message().number(4, 600))
                          .message(3, Message().text(1, "").message(2, Message()))),
                 R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":{},
          "spec":{"audiences":[],"expirationSeconds":600},"status":{"token":"","expirationTimestamp":null}})");
}

TEST(Protobuf, TextListsInMaps) {
  expect_decodes(body("authorization.k8s.io/v1", "SubjectAccessReview",
                      Message().message(
                          2, Message().text(3, "u").entry(5, "scopes", Message().text(1, "a").text(1, "b")))),
                 R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
                     "spec":{"user":"u","extra":{"scopes":["a","b"]}}})");
}

TEST(Protobuf, LeaseTimesAndManagedFields) {
  const Message managed = Message()
                              .text(1, "kubectl")
                              .text(2, "Update")
                              .message(4, Message().number(1, 0).number(2, 0))
                              .message(7, Message().text(1, R"({"f:spec":{}})"));
  expect_decodes(
      body("coordination.k8s.io/v1", "Lease",
           Message()
               .message(1, meta("a").message(17, managed))
               .message(2, Message().text(1, "").message(4, Message().number(1, 1).number(2, 2'345'678)))),
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
          "metadata":{"name":"a","managedFields":[{"manager":"kubectl","operation":"Update",
            "time":"1970-01-01T00:00:00Z","fieldsV1":{"f:spec":{}}}]},
          "spec":{"holderIdentity":"","renewTime":"1970-01-01T00:00:01.002345Z"}})");
}

TEST(Protobuf, SchemasOfDefinitions) {
  const Message text_schema = Message().text(5, "string");
  const Message schema =
      Message()
          .text(5, "object")
          .fixed64(9, 1.5)
          .number(10, 0)
          .number(13, 0)
          .entry(29, "list", Message().text(5, "array").message(24, Message().message(1, text_schema)))
          .entry(29, "open", Message().message(30, Message().number(1, 1)))
          .entry(29, "map", Message().message(30, Message().number(1, 1).message(2, text_schema)))
          .entry(29, "closed", Message().message(30, Message().number(1, 0)))
          .entry(29, "two", Message().message(24, Message().message(2, text_schema)))
          .message(8, Message().text(1, "false"))
          .message(20, Message().text(1, R"({"a":null})"))
          .message(20, Message().text(1, "3"))
          .entry(32, "x", Message().text(2, "y"))
          .number(38, 1);
  const Message version =
      Message().text(1, "v1").number(2, 1).number(3, 0).message(4, Message().message(1, schema));
  const auto decoded = decode_protobuf_body(
      body("apiextensions.k8s.io/v1", "CustomResourceDefinition",
           Message().message(1, meta("a")).message(2, Message().text(1, "g").message(7, version))));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().describe();
  const json::Value& found = json::get_array(*decoded, {"spec", "versions"})->at(0);
  EXPECT_TRUE(json::same_value(found, json::parse(R"({"name":"v1","served":true,"storage":false,
    "schema":{"openAPIV3Schema":{"type":"object","maximum":1.5,"maxLength":0,"default":false,
      "enum":[{"a":null},3],"dependencies":{"x":["y"]},"x-kubernetes-preserve-unknown-fields":true,
      "properties":{"list":{"type":"array","items":{"type":"string"}},"open":{"additionalProperties":true},
        "map":{"additionalProperties":{"type":"string"}},"closed":{"additionalProperties":false},
        "two":{"items":[{"type":"string"}]}}}}})")
                                          .value()))
      << json::serialize(found);
}

TEST(Protobuf, DeleteOptionsOfAnyGroup) {
  expect_decodes(
      body("apps/v1", "DeleteOptions",
           Message().number(1, 0).message(2, Message().text(1, "u")).text(4, "Orphan").text(5, "All")),
      R"({"apiVersion":"apps/v1","kind":"DeleteOptions","gracePeriodSeconds":0,
                     "preconditions":{"uid":"u"},"propagationPolicy":"Orphan","dryRun":["All"]})");
}

TEST(Protobuf, ListsOfNumbersPackedOrNot) {
  const auto groups = [](const Message& context) {
    const auto decoded =
        decode_protobuf_body(body("v1", "Pod", Message().message(2, Message().message(14, context))));
    EXPECT_TRUE(decoded.has_value()) << (decoded ? "" : decoded.error().describe());
    const json::Value* found = json::find(*decoded, {"spec", "securityContext", "supplementalGroups"});
    return found ? json::serialize(*found) : "nothing";
  };
  EXPECT_EQ(groups(Message().number(4, 1).number(4, 300)), "[1,300]");
  EXPECT_EQ(groups(Message().text(4, "\x01\xac\x02")), "[1,300]");
}

TEST(Protobuf, SkipsWhatItDoesNotKnow) {
  expect_decodes(
      body("v1", "Namespace", Message().number(900, 7).fixed64(901, 1).text(902, "x").message(1, meta("a"))),
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})");
}

TEST(Protobuf, MergesMessagesThatComeTwiceAndLastScalarWins) {
  expect_decodes(body("v1", "Namespace",
                      Message()
                          .message(1, Message().text(1, "a").text(3, "n"))
                          .message(1, Message().text(1, "b").text(3, ""))),
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"b"}})");
}

TEST(Protobuf, EveryBuiltinKindHasNumbers) {
  for (const ResourcePtr& resource : builtin_resources()) {
    for (const ServedVersion& version : resource->versions) {
      const ProtobufMessage* message = protobuf_message(resource->api_version(version), resource->kind);
      ASSERT_NE(message, nullptr) << resource->plural;
      ASSERT_TRUE(message->fields.contains(1)) << resource->plural;
      EXPECT_EQ(message->fields.at(1).name, "metadata") << resource->plural;
    }
  }
  EXPECT_NE(protobuf_message("autoscaling/v1", "Scale"), nullptr);
  EXPECT_EQ(protobuf_message("v2", "Namespace"), nullptr);
}

TEST(Protobuf, RefusesWhatIsNotABody) {
  expect_refused("", "k8s");
  expect_refused("{}", "k8s");
  expect_refused(body("example.com/v1", "Widget", Message()), "Widget", ErrorCode::Unsupported);
  expect_refused(std::string("k8s\0", 4), "send it as JSON", ErrorCode::Unsupported);
  expect_refused(body("v1", "Namespace", Message().number(1, 1)),
                 "metadata: protobuf body: field 1: expected wire type 2");
  expect_refused(body("v1", "Namespace", Message().message(1, Message().text(1, "\xff"))), "UTF-8");
  expect_refused(
      body("v1", "Namespace", Message().message(1, Message().message(8, Message().number(1, INT64_MAX)))),
      "not a time");
  expect_refused(
      body("v1", "Pod",
           Message().message(1, meta("a").message(17, Message().message(7, Message().text(1, "{"))))),
      "fieldsV1");
  expect_refused(std::string("k8s\0", 4) + Message().text(3, "gzip").bytes(), "gzip");
  expect_refused(std::string("k8s\0\x0b", 5), "wire type 3");
  expect_refused(std::string("k8s\0\x00", 5), "not a field number");
  expect_refused(std::string("k8s\0", 4) + std::string(11, '\xff'), "64 bits");
  expect_refused(std::string("k8s\0", 4) + std::string(4 * 1024 * 1024, '\0'), "at most");
}

TEST(Protobuf, BoundsDepthAndNumberOfValues) {
  Message schema;
  for (int i = 0; i < 1000; ++i) {
    Message outer;
    outer.message(28, schema);
    schema = outer;
  }
  const Message version = Message().message(4, Message().message(1, schema));
  expect_refused(body("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      Message().message(2, Message().message(7, version))),
                 "nested deeper");
  std::string rules;
  for (int i = 0; i < 600'000; ++i) rules += std::string_view("\x12\0", 2);
  const std::string bytes = std::string("k8s\0", 4) +
                            Message()
                                .message(1, Message().text(1, "rbac.authorization.k8s.io/v1").text(2, "Role"))
                                .text(2, rules)
                                .bytes();
  expect_refused(bytes, "values");
}

// Whatever stands there, it is decoded or refused, without a fault; a cut never passes for the whole object.
TEST(Protobuf, SurvivesCutsAndNoise) {
  const Message pod =
      Message()
          .message(1, meta("a").entry(11, "k", "v"))
          .message(2, Message().message(2, Message().text(1, "c").message(
                                               8, Message().entry(1, "cpu", Message().text(1, "1")))));
  const std::string whole = body("v1", "Pod", pod);
  const auto decoded = decode_protobuf_body(whole);
  ASSERT_TRUE(decoded.has_value());
  // Protobuf has no end mark: cut between type and content, what is left is a whole body without content.
  const std::size_t type_end =
      4 + Message().message(1, Message().text(1, "v1").text(2, "Pod")).bytes().size();
  for (std::size_t size = 0; size + 4 < whole.size(); ++size) {
    const auto cut = decode_protobuf_body(std::string_view(whole).substr(0, size));
    EXPECT_EQ(cut.has_value(), size == type_end) << size;
  }
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string noisy = whole;
    for (int i = 0; i < 3; ++i) noisy[4 + random() % (noisy.size() - 4)] = static_cast<char>(random());
    const auto result = decode_protobuf_body(noisy);
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver
