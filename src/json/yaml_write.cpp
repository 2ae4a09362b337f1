#include <algorithm>
#include <vector>
#include <yaml.h>

#include "base/text.hpp"
#include "json/write.hpp"
#include "json/yaml.hpp"
#include "json/yaml_scalar.hpp"

namespace fairway::json {
namespace {

const yaml_char_t* bytes(std::string_view text) {
  return reinterpret_cast<const yaml_char_t*>(text.data());
}

// libyaml refuses text that is not UTF-8; JSON's writer replaces such bytes, so this one does too.
std::string with_valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    result.append(length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

class Writer {
 public:
  Writer(const YamlStyle& style, std::string& out) : style_(style) {
    FAIRWAY_CHECK(yaml_emitter_initialize(&emitter_) != 0, "out of memory");
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
    yaml_emitter_set_output(
        &emitter_,
        [](void* text, unsigned char* part, std::size_t size) {
          static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(part), size);
          return 1;
        },
        &out);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  void write_document(const Value& value) {
    emit(yaml_stream_start_event_initialize(&event_, YAML_UTF8_ENCODING));
    emit(yaml_document_start_event_initialize(&event_, nullptr, nullptr, nullptr, 1));
    write(value);
    emit(yaml_document_end_event_initialize(&event_, 1));
    emit(yaml_stream_end_event_initialize(&event_));
  }

 private:
  void emit(int initialized) {
    FAIRWAY_CHECK(initialized != 0 && yaml_emitter_emit(&emitter_, &event_) != 0, "libyaml refused an event");
  }

  void write_scalar(std::string_view text, yaml_scalar_style_t scalar_style) {
    const yaml_char_t* const begin = bytes(text);
    emit(yaml_scalar_event_initialize(&event_, nullptr, nullptr, begin, static_cast<int>(text.size()), 1, 1,
                                      scalar_style));
  }

  void write_text(std::string_view text) {
    if (!is_valid_utf8(text)) return write_text(with_valid_utf8(text));
    if (text.find('\n') != std::string_view::npos) return write_scalar(text, YAML_LITERAL_SCALAR_STYLE);
    write_scalar(text, is_plain_text(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void write(const Object& object) {
    emit(yaml_mapping_start_event_initialize(&event_, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE));
    std::vector<const boost::json::key_value_pair*> members;
    members.reserve(object.size());
    for (const auto& member : object) members.push_back(&member);
    if (style_.sort_keys) std::ranges::sort(members, {}, [](const auto* member) { return member->key(); });
    for (const auto* member : members) {
      write_text({member->key().data(), member->key().size()});
      write(member->value());
    }
    emit(yaml_mapping_end_event_initialize(&event_));
  }

  void write(const Value& value) {
    if (const Object* object = value.if_object()) {
      write(*object);
    } else if (const Array* array = value.if_array()) {
      emit(yaml_sequence_start_event_initialize(&event_, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE));
      for (const Value& element : *array) write(element);
      emit(yaml_sequence_end_event_initialize(&event_));
    } else if (const String* text = value.if_string()) {
      write_text(view(*text));
    } else {
      write_scalar(serialize(value), YAML_PLAIN_SCALAR_STYLE);
    }
  }

  YamlStyle style_;
  yaml_emitter_t emitter_{};
  yaml_event_t event_{};
};

}  // namespace

std::string to_yaml(const Value& value, const YamlStyle& style) {
  std::string out;
  Writer(style, out).write_document(value);
  return out;
}

}  // namespace fairway::json
