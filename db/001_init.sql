-- Schema version 1. STRICT everywhere; times are UTC, ISO 8601; hashes are 16-byte blobs (text when they are no
-- 32 hexadecimal digits); `min_reader` is the oldest schema version whose readers understand this file.

CREATE TABLE schema_info (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  min_reader INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL
) STRICT;

-- A GPU model: two GPUs of one model share a row.
CREATE TABLE gpus (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  arch INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  mig_profile TEXT NOT NULL
) STRICT;

-- What was the same for every trial of a sweep. `facts` is the GPU as it was then: limits, driver, power limit.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  gpu INTEGER NOT NULL REFERENCES gpus (id),
  device TEXT NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  driver TEXT NOT NULL,
  nvrtc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  policy INTEGER NOT NULL,
  command TEXT NOT NULL,
  emulated INTEGER NOT NULL,
  shared_gpu INTEGER NOT NULL,
  process TEXT NOT NULL,        -- whose it is while it runs: host, boot, process id and its start
  started_at TEXT NOT NULL,
  finished_at TEXT,
  outcome TEXT                  -- done, interrupted, failed
) STRICT;

-- Templates, headers, manifests, sweep files and compiler logs, each kept once.
CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  hash ANY NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  shape TEXT NOT NULL,
  facts_key TEXT NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  UNIQUE (kernel, shape, facts_key)
) STRICT;

-- The steps of a configuration as launched; many trials share one.
CREATE TABLE executions (
  id INTEGER PRIMARY KEY,
  steps TEXT NOT NULL UNIQUE CHECK (json_valid(steps))
) STRICT;

CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  problem INTEGER NOT NULL REFERENCES problems (id),
  regime TEXT NOT NULL,
  params TEXT NOT NULL CHECK (json_valid(params)),
  execution INTEGER REFERENCES executions (id),
  status TEXT NOT NULL,
  reason TEXT,
  detail TEXT,
  log INTEGER REFERENCES texts (id),
  source_hash ANY,
  cubin_hash ANY,
  duplicate_of INTEGER REFERENCES trials (id),
  registers INTEGER NOT NULL,
  spill_bytes INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  samples BLOB,                 -- little-endian floats, microseconds a launch
  time_us REAL,
  spread REAL,
  max_err_over_bound REAL,
  max_rel_err REAL,
  exact_only INTEGER NOT NULL,
  finalist INTEGER NOT NULL,
  is_default INTEGER NOT NULL,
  deterministic INTEGER NOT NULL
) STRICT;
CREATE INDEX trials_by_problem ON trials (problem, regime, run);
CREATE INDEX trials_in_flight ON trials (run) WHERE status = 'started';

-- A finished problem x regime of a run.
CREATE TABLE results (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  problem INTEGER NOT NULL REFERENCES problems (id),
  regime TEXT NOT NULL,
  winner INTEGER REFERENCES trials (id),
  default_trial INTEGER REFERENCES trials (id),
  incumbent INTEGER REFERENCES trials (id),  -- the configuration that won the run before
  tied TEXT NOT NULL CHECK (json_valid(tied)),
  shown TEXT NOT NULL CHECK (json_valid(shown)),  -- winner, ties, default, best of each variant, finalists
  margin REAL NOT NULL,
  noise_floor REAL NOT NULL,
  ceiling TEXT NOT NULL CHECK (json_valid(ceiling)),
  baselines TEXT NOT NULL CHECK (json_valid(baselines)),
  before TEXT NOT NULL CHECK (json_valid(before)),
  after TEXT NOT NULL CHECK (json_valid(after)),
  bytes_read REAL NOT NULL,
  bytes_written REAL NOT NULL,
  flops REAL NOT NULL,
  bound_by TEXT NOT NULL,
  candidates INTEGER NOT NULL,
  measured INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  expected_loss REAL,           -- of answering a neighbour with this winner; unknown when null
  saved_at TEXT NOT NULL,
  UNIQUE (problem, regime, run)
) STRICT;

-- What is known of a result since: current, elsewhere, changed.
CREATE TABLE states (
  result INTEGER PRIMARY KEY REFERENCES results (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  changed TEXT NOT NULL CHECK (json_valid(changed)),
  checked_at TEXT NOT NULL
) STRICT;

-- `gpu` is a case-blind part of the name; null: every GPU.
CREATE TABLE pins (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  shape TEXT NOT NULL,
  facts_key TEXT NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  regime TEXT NOT NULL,
  gpu TEXT,
  params TEXT NOT NULL CHECK (json_valid(params)),
  trial INTEGER REFERENCES trials (id),
  why TEXT NOT NULL,
  made_at TEXT NOT NULL
) STRICT;

-- `params` names only some parameters; a configuration that agrees in all of them is forbidden.
CREATE TABLE forbids (
  id INTEGER PRIMARY KEY,
  kernel TEXT,
  gpu TEXT,
  params TEXT NOT NULL CHECK (json_valid(params)),
  why TEXT NOT NULL,
  made_at TEXT NOT NULL
) STRICT;

-- Where rows that were not measured here came from.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  layer TEXT NOT NULL,
  source TEXT NOT NULL,
  hash ANY NOT NULL,
  run INTEGER REFERENCES runs (id),
  imported_at TEXT NOT NULL
) STRICT;
