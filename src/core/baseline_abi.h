// What a user's baseline, a host function that launches somebody else's kernels, offers as a shared object. Both sides
// read this one text. Only plain types, no directives.
#pragma once

// TUNER_BASELINE_ABI(MACRO) expands to MACRO(the declarations).
#define TUNER_BASELINE_ABI(AS)                                                    \
  AS(namespace tuner_baseline {                                                   \
    struct Function {                                                             \
      const char* (*call)(void* const* arguments); /* null, or what went wrong */ \
      int count;                                                                  \
      const int* bytes; /* of each parameter */                                   \
    };                                                                            \
    /* Exported under the name tuner_baseline_function. */                        \
    using FunctionOf = const Function*();                                         \
  })

#define TUNER_BASELINE_AS_CODE(...) __VA_ARGS__
#define TUNER_BASELINE_AS_TEXT(...) #__VA_ARGS__

TUNER_BASELINE_ABI(TUNER_BASELINE_AS_CODE)
