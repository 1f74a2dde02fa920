-- Schema version 4: what a profiler counted while it ran a configuration once on such a GPU. Never times: a profiler
-- replays a launch many times.

CREATE TABLE counters (
  id INTEGER PRIMARY KEY,
  gpu INTEGER NOT NULL REFERENCES gpus (id),
  problem INTEGER NOT NULL REFERENCES problems (id),
  params TEXT NOT NULL CHECK (json_valid(params)),
  cubin_hash ANY,               -- of the binary that was run
  driver TEXT NOT NULL,
  profiler TEXT NOT NULL,
  launches TEXT NOT NULL CHECK (json_valid(launches)),
  counted_at TEXT NOT NULL,
  UNIQUE (problem, gpu, params)
) STRICT;
