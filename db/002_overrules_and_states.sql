-- Schema version 2: what a look-up has to know of a result beside its winner.

-- 1: nobody has run the configuration on such a GPU when it was pinned.
ALTER TABLE pins ADD COLUMN unverified INTEGER NOT NULL DEFAULT 0;

-- The trial that answers neighbours, and over how many stored ones its expected_loss is the mean; the loss of the
-- manifest's default at the same ones, and the most that the trial lost to the default at one of them.
ALTER TABLE results ADD COLUMN traveller INTEGER REFERENCES trials (id);
ALTER TABLE results ADD COLUMN loss_neighbours INTEGER NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN default_loss REAL;
ALTER TABLE results ADD COLUMN worst_loss REAL;

-- Of the template with its headers and options, and of the manifest; both without comments and white space.
ALTER TABLE results ADD COLUMN closure_hash ANY;
ALTER TABLE results ADD COLUMN manifest_hash ANY;

-- The result's binary was found again with these.
ALTER TABLE states ADD COLUMN closure_hash ANY;
ALTER TABLE states ADD COLUMN manifest_hash ANY;
ALTER TABLE states ADD COLUMN nvrtc TEXT;
