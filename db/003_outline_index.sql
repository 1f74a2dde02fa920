-- Schema version 3: look-ups read which results there are from one index, and only the rows that answer in whole.

CREATE INDEX results_outline ON results (problem, regime, run, saved_at);
