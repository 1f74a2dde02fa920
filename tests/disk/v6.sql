PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_info (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  min_reader INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL
) STRICT;
INSERT INTO schema_info VALUES(1,1,'2026-11-30T04:18:12Z','0.1.0');
CREATE TABLE gpus (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  arch INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  mig_profile TEXT NOT NULL
) STRICT;
INSERT INTO gpus VALUES(1,'NVIDIA H200|sm_90|132|141|','NVIDIA H200',90,132,151397597184,'');
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
INSERT INTO runs VALUES(1,1,'cuda','{"name":"NVIDIA H200","arch":90,"sm_count":132,"memory_bytes":151397597184,"mig_profile":"","warp_size":32,"max_threads_per_block":1024,"max_threads_per_sm":2048,"max_blocks_per_sm":32,"registers_per_sm":65536,"registers_per_block":65536,"shared_per_block":49152,"shared_max":232448,"shared_per_sm":233472,"reserved_shared_per_block":1024,"l2_bytes":0,"memory_bus_bits":6144,"memory_clock_khz":3201000,"sm_clock_khz":0,"uuid":"GPU-secret","driver":"580.159.04","cuda_driver":0,"power_limit_w":0,"ecc":false,"display":false}','580.159.04','13.0.88','0.1.0',1,'tuner sweep',0,0,'boot 1 1','2026-11-30T04:18:13Z','2026-11-30T04:18:13Z','done');
CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  hash ANY NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
INSERT INTO texts VALUES(1,X'd2f8f8989e0412d86d74891d27301c47','log','','warning');
INSERT INTO texts VALUES(2,X'0123456789abcdef0123456789abcdef','manifest','gemv_f16.yaml',replace('tuner: 1\n','\n',char(10)));
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  shape TEXT NOT NULL,
  facts_key TEXT NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  UNIQUE (kernel, shape, facts_key)
) STRICT;
INSERT INTO problems VALUES(1,'gemv_f16','4096x14336','batch=1 row_stride=14336 y=f16','{"batch":1,"row_stride":14336,"y":"f16"}');
CREATE TABLE executions (
  id INTEGER PRIMARY KEY,
  steps TEXT NOT NULL UNIQUE CHECK (json_valid(steps))
) STRICT;
INSERT INTO executions VALUES(1,'[{"launch":"gemv","grid":[1024,1,1],"block":[256,1,1],"shared":0}]');
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
, cost REAL, seconds REAL) STRICT;
INSERT INTO trials VALUES(1,1,1,'plain','{"variant":"vec","block_size":256}',1,'measured',NULL,NULL,1,X'0123456789abcdef0123456789abcdef',X'fedcba9876543210fedcba9876543210',NULL,40,0,0,X'0000e2410000e4410000e241',28.25,0.0022123893805309734206,0.25,0.00010000000000000000479,0,1,0,1,0.5,0.25);
INSERT INTO trials VALUES(2,1,1,'plain','{"variant":"naive","block_size":64}',1,'measured',NULL,NULL,NULL,X'0123456789abcdef0123456789abcdef',X'fedcba9876543210fedcba9876543210',NULL,40,0,0,X'0000b4420000b6420000b842',91.0,NULL,0.25,0.00010000000000000000479,0,0,1,1,NULL,NULL);
INSERT INTO trials VALUES(3,1,1,'plain','{"variant":"shared","block_size":64}',1,'rejected','wrong_result','y[0]',NULL,X'0123456789abcdef0123456789abcdef',X'fedcba9876543210fedcba9876543210',NULL,40,0,0,NULL,NULL,NULL,0.25,0.00010000000000000000479,0,0,0,1,NULL,NULL);
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
  saved_at TEXT NOT NULL, traveller INTEGER REFERENCES trials (id), loss_neighbours INTEGER NOT NULL DEFAULT 0, default_loss REAL, worst_loss REAL, closure_hash ANY, manifest_hash ANY, objective TEXT, search TEXT,
  UNIQUE (problem, regime, run)
) STRICT;
INSERT INTO results VALUES(1,1,1,'plain',1,2,NULL,'[1]','[1,2]',0.005000000000000000104,0.0,'{"sustained_gb_per_s":0.0,"probe_us":27.0,"probe_no_x_us":0.0,"best_gb_per_s":0.0,"probe_config":"","from":"probe"}','[{"name":"cublas","time_us":31.2,"spread":0.01,"detail":"op T","samples_us":[]}]','{"sm_clock_mhz":0,"memory_clock_mhz":0,"temperature_c":0,"power_w":0,"throttle":""}','{"sm_clock_mhz":0,"memory_clock_mhz":0,"temperature_c":0,"power_w":0,"throttle":""}',0.0,0.0,0.0,'memory',0,0,0,NULL,'2026-11-30T04:18:13Z',NULL,0,NULL,NULL,NULL,NULL,'max a = 1 / time_s','forest');
CREATE TABLE states (
  result INTEGER PRIMARY KEY REFERENCES results (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  changed TEXT NOT NULL CHECK (json_valid(changed)),
  checked_at TEXT NOT NULL
, closure_hash ANY, manifest_hash ANY, nvrtc TEXT) STRICT;
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
, unverified INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO pins VALUES(1,'gemv_f16','4096x14336','batch=1 row_stride=14336 y=f16','{"batch":1,"row_stride":14336,"y":"f16"}','dependent',NULL,'{"variant":"warp","block_size":64}',NULL,'tried it','2026-11-30T04:18:13Z',0);
CREATE TABLE forbids (
  id INTEGER PRIMARY KEY,
  kernel TEXT,
  gpu TEXT,
  params TEXT NOT NULL CHECK (json_valid(params)),
  why TEXT NOT NULL,
  made_at TEXT NOT NULL
) STRICT;
INSERT INTO forbids VALUES(1,NULL,NULL,'{"block_size":1024}','too hot','2026-11-30T04:18:13Z');
CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  layer TEXT NOT NULL,
  source TEXT NOT NULL,
  hash ANY NOT NULL,
  run INTEGER REFERENCES runs (id),
  imported_at TEXT NOT NULL
) STRICT;
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
INSERT INTO counters VALUES(1,1,1,'{"variant":"vec","block_size":256}',X'fedcba9876543210fedcba9876543210','580.159.04','ncu 2025.3.1.0','[{"entry":"gemv","values":{"dram__throughput.avg.pct_of_peak_sustained_elapsed":93.8},"absent":{"smsp__x.ratio":"not on this GPU"}}]','2026-11-30T04:18:13Z');
CREATE INDEX trials_by_problem ON trials (problem, regime, run);
CREATE INDEX results_outline ON results (problem, regime, run, saved_at);
CREATE INDEX trials_in_flight ON trials (run) WHERE status = 'started';
PRAGMA application_id = 1953853042;
PRAGMA user_version = 6;
COMMIT;
