-- Schema version 5: what a result's winner is the best of, and what that makes of each trial's time. Null: the time.

ALTER TABLE trials ADD COLUMN cost REAL;         -- lower is better
ALTER TABLE results ADD COLUMN objective TEXT;   -- "max tflops = 2 * M * N / time_s / 1e12"
