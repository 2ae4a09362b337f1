// Patches of JSON documents: JSON patch (RFC 6902) and merge patch (RFC 7386), as the API server takes them.
//
// A JSON patch is checked when it is parsed and applied as a whole: after an error the document is unchanged.
// Errors name the operation by its index and its path. What a patch can make grow is bounded: a few `copy`
// operations could otherwise double a document without end. Negative array indexes are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/json_pointer.hpp"
#include "json/value.hpp"

namespace fairway::json {

struct PatchLimits {
  std::size_t max_operations = 10'000;  // as in Kubernetes
  std::size_t max_copied = 1'000'000;   // values that all `copy` operations of a patch make
  std::size_t max_depth = 512;          // of the patched document
};

class Patch {
 public:
  enum class Op { Add, Remove, Replace, Move, Copy, Test };
  struct Operation {
    Op op;
    Pointer path;
    Pointer from = {};  // Move and Copy
    Value value = {};   // Add, Replace and Test
  };

  // From an array of operations.
  static Result<Patch> parse(const Value& patch, const PatchLimits& limits = {});
  explicit Patch(std::vector<Operation> operations, const PatchLimits& limits = {})
      : operations_(std::move(operations)), limits_(limits) {}

  Result<void> apply(Value& document) const;
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  std::vector<Operation> operations_;
  PatchLimits limits_;
};

std::string_view to_string(Patch::Op op);

// Members of `patch` replace those of `target`, null removes, objects merge; anything else replaces whole.
void apply_merge_patch(Value& target, const Value& patch);
// The smallest merge patch that turns `before` into `after`; an empty object when they are the same. A null
// inside an object of `after` cannot be said in a merge patch: it comes out as the member's absence.
Value make_merge_patch(const Value& before, const Value& after);

}  // namespace fairway::json
