// What the host device and the shared objects that the host build makes know of each other. Both sides read this one
// text: the device as code, the build as the text in front of every translation unit. Only plain types, no directives.
#pragma once

// TUNER_SIMT_ABI(MACRO) expands to MACRO(the declarations).
#define TUNER_SIMT_ABI(AS)                                                                                           \
  AS(namespace tuner_simt {                                                                                          \
    enum { abi_version = 2 };                                                                                        \
    struct Index3 {                                                                                                  \
      unsigned x, y, z;                                                                                              \
    };                                                                                                               \
    /* Who runs. */                                                                                                  \
    struct Position {                                                                                                \
      Index3 thread, block, block_size, grid_size;                                                                   \
      unsigned lane;                                                                                                 \
    };                                                                                                               \
    enum BlockOp { block_sync, block_count, block_and, block_or };                                                   \
    enum WarpOp { warp_sync, warp_shuffle, warp_ballot };                                                            \
    /* Offered by the device; the functions may switch to another thread of the block before they return. */         \
    struct Runtime {                                                                                                 \
      const Position* position;                                                                                      \
      char* dynamic_shared;                                                                                          \
      int (*block_barrier)(BlockOp op, int predicate, int line);                                                     \
      unsigned long long (*warp_exchange)(WarpOp op, unsigned mask, unsigned long long value, unsigned source_lane); \
      void (*misaligned)(const void* address, int bytes);                                                            \
      void (*trap)(const char* what);                                                                                \
    };                                                                                                               \
    /* Offered by the shared object. */                                                                              \
    struct Entry {                                                                                                   \
      const char* name;                                                                                              \
      void (*call)(void* const* arguments);                                                                          \
      int parameter_count;                                                                                           \
      const int* parameter_bytes;                                                                                    \
    };                                                                                                               \
    /* A __constant__; not written by threads. */                                                                    \
    struct Symbol {                                                                                                  \
      const char* name;                                                                                              \
      void* address;                                                                                                 \
      long long bytes;                                                                                               \
    };                                                                                                               \
    struct Configuration {                                                                                           \
      const Entry* entries;                                                                                          \
      int entry_count;                                                                                               \
      char* shared_begin; /* its static shared memory; both null when it has none */                                 \
      char* shared_end;                                                                                              \
      const Symbol* symbols;                                                                                         \
      int symbol_count;                                                                                              \
    };                                                                                                               \
    struct Library {                                                                                                 \
      int version;                                                                                                   \
      int configuration_count;                                                                                       \
      const Configuration* configurations;                                                                           \
    };                                                                                                               \
    /* Exported under the name tuner_host_library. */                                                                \
    using LibraryFunction = const Library*(const Runtime* runtime);                                                  \
  })

#define TUNER_SIMT_AS_CODE(...) __VA_ARGS__
#define TUNER_SIMT_AS_TEXT(...) #__VA_ARGS__

TUNER_SIMT_ABI(TUNER_SIMT_AS_CODE)
