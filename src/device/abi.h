// Whether two function types can be called for one another: how our declarations are compared with a vendor's header.
#pragma once

#include <type_traits>

namespace tuner::device {

template <class A, class B>
inline constexpr bool same_value =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>&& std::is_floating_point_v<A> ==
                                  std::is_floating_point_v<B>;
template <>
inline constexpr bool same_value<void, void> = true;

template <class A, class B>
inline constexpr bool same_abi = false;
// As many parameters, each of one size and kind; pointers count as alike whatever they point to.
template <class R, class... P, class S, class... Q>
inline constexpr bool same_abi<R (*)(P...), S (*)(Q...)> = [] {
  if constexpr (sizeof...(P) != sizeof...(Q))
    return false;
  else
    return same_value<R, S> && (same_value<P, Q> && ...);
}();

}  // namespace tuner::device
