constexpr = None
