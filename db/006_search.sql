-- Schema version 6: what trying a configuration took, and how a space was searched that is too large to try in full.

ALTER TABLE trials ADD COLUMN seconds REAL;      -- compiling and verifying it, by itself
ALTER TABLE results ADD COLUMN search TEXT;      -- the strategy; null: every configuration was tried
