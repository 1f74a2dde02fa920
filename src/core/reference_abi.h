// What a user's host reference, built as a shared object, offers to the process that calls it. Both sides read this one
// text. Only plain types, no directives.
#pragma once

// TUNER_REFERENCE_ABI(MACRO) expands to MACRO(the declarations).
#define TUNER_REFERENCE_ABI(AS)                                                                          \
  AS(namespace tuner_reference {                                                                         \
    struct Function {                                                                                    \
      void (*call)(void* const* arguments);                                                              \
      int count;                                                                                         \
      const char* const* types; /* "f64*", "i32", ..., in order; "struct" for a value of another type */ \
      const int* bytes;                                                                                  \
    };                                                                                                   \
    /* Exported under the name tuner_reference_function. */                                              \
    using FunctionOf = const Function*();                                                                \
  })

#define TUNER_REFERENCE_AS_CODE(...) __VA_ARGS__
#define TUNER_REFERENCE_AS_TEXT(...) #__VA_ARGS__

TUNER_REFERENCE_ABI(TUNER_REFERENCE_AS_CODE)
