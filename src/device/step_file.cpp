#include "device/step_file.hpp"

#include "json/yaml.hpp"

namespace fairway::device {

Result<StepFile> parse_step_file(std::string_view yaml) {
  FAIRWAY_TRY(const json::Value value, json::parse_yaml(yaml, {.max_bytes = 1024 * 1024}));
  const json::Object* object = value.if_object();
  if (object != nullptr && object->if_contains("rewrite") != nullptr) {
    FAIRWAY_TRY(RewriteStep step, RewriteStep::parse(*object));
    return StepFile(std::move(step));
  }
  if (object != nullptr && object->size() == 1) {
    const json::Value& only = object->begin()->value();
    const json::Object none;
    const json::Object& fields = only.is_object() ? only.get_object() : none;
    const bool is_fine = only.is_object() || only.is_null();
    if (is_fine && object->if_contains("storage-versions") != nullptr) {
      FAIRWAY_TRY(StorageStep step, StorageStep::parse(fields));
      return StepFile(std::move(step));
    }
    if (is_fine && object->if_contains("etcd") != nullptr) {
      FAIRWAY_TRY(EtcdStep step, EtcdStep::parse(fields));
      return StepFile(std::move(step));
    }
  }
  return fail(ErrorCode::Invalid,
              "expected the keys rewrite and conversions, or storage-versions, or etcd alone");
}

}  // namespace fairway::device
