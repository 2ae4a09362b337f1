// Utf8Scope: a thread that reads and writes names as UTF-8 for as long as it lives. Not for use outside this
// folder.
//
// libarchive converts names to the thread's character set; in the C locale it would lose all that is not
// ASCII.
#pragma once

#include <locale.h>

namespace fairway::oci {

class Utf8Scope {
 public:
  Utf8Scope() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = uselocale(utf8_);
  }
  ~Utf8Scope() {
    if (utf8_ == nullptr) return;
    uselocale(before_);
    freelocale(utf8_);
  }
  Utf8Scope(const Utf8Scope&) = delete;
  Utf8Scope& operator=(const Utf8Scope&) = delete;

 private:
  locale_t utf8_;
  locale_t before_ = nullptr;
};

}  // namespace fairway::oci
