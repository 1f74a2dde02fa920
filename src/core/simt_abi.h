// What the host device and the shared objects that the host build makes know of each other. Both sides read this one
// text: the device as code, the build as the text in front of every translation unit. Only plain types, no directives.
#pragma once

// TUNER_SIMT_ABI(MACRO) expands to MACRO(the declarations).
#define TUNER_SIMT_ABI(AS)                                                                                           \
  AS(namespace tuner_simt {                                                                                          \
    /* most_threads: that live at once. */                                                                           \
    enum { abi_version = 4, most_threads = 24 * 1024 };                                                              \
    struct Index3 {                                                                                                  \
      unsigned x, y, z;                                                                                              \
    };                                                                                                               \
    /* Who runs. */                                                                                                  \
    struct Position {                                                                                                \
      Index3 thread, block, block_size, grid_size, cluster_size;                                                     \
      unsigned lane, cluster_rank;                                                                                   \
    };                                                                                                               \
    enum BlockOp { block_sync, block_count, block_and, block_or };                                                   \
    enum WarpOp { warp_sync, warp_shuffle, warp_ballot };                                                            \
    /* Between blocks. An arrival does not wait, and is waited for once. */                                          \
    enum WideOp { cluster_arrive, cluster_wait, grid_sync };                                                         \
    /* Offered by the device; the functions may switch to another thread of the block before they return. */         \
    struct Runtime {                                                                                                 \
      const Position* position;                                                                                      \
      char* dynamic_shared;                                                                                          \
      int (*block_barrier)(BlockOp op, int predicate, int line);                                                     \
      unsigned long long (*warp_exchange)(WarpOp op, unsigned mask, unsigned long long value, unsigned source_lane); \
      void (*wide_barrier)(WideOp op, int line);                                                                     \
      /* Where `own`, in the caller's shared memory, is in that of the block of this rank of its cluster. */         \
      void* (*peer_shared)(const void* own, unsigned rank, int bytes);                                               \
      /* mbarriers, and bulk copies that complete on them. */                                                        \
      void (*barrier_init)(unsigned long long* barrier, unsigned arrivals);                                          \
      void (*barrier_arrive)(unsigned long long* barrier, unsigned long long expected_bytes);                        \
      void (*barrier_wait)(unsigned long long* barrier, unsigned parity, int line);                                  \
      void (*bulk_copy)(void* to, const void* from, unsigned bytes, unsigned long long* barrier);                    \
      /* To where `own` is in the block of this rank; completes on what `barrier` is there. */                       \
      void (*store_async)(void* own, unsigned rank, const void* value, unsigned bytes, unsigned long long* barrier); \
      void (*misaligned)(const void* address, int bytes);                                                            \
      void (*trap)(const char* what);                                                                                \
      void (*wait_for_predecessor)();                                                                                \
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
