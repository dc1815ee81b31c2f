#pragma once

#include <heddle/compiler.hpp>

#include <type_traits>

namespace heddle {

/// A reference to a function object, which must outlive it: two pointers. Like std::function_ref of C++26.
template <class Signature>
class function_ref;
template <class R, class... A>
class function_ref<R(A...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f) noexcept
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(f)))),
        call_([](void* object, A... a) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(a...);
        }) {}
  R operator()(A... a) const { return call_(object_, a...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

}  // namespace heddle
