-- Which attempt at a job wrote its row, and the hash of the token of whoever made an upload or a job.
ALTER TABLE texts ADD COLUMN owner TEXT;
ALTER TABLE jobs ADD COLUMN owner TEXT;
ALTER TABLE jobs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;

-- What the collector and the start look for, without a look at every row.
CREATE INDEX texts_by_end ON texts (expires_at);
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE body IS NOT NULL;
CREATE INDEX jobs_gone ON jobs (expires_at) WHERE body IS NULL;
CREATE INDEX jobs_open ON jobs (id) WHERE ended = 0 AND body IS NOT NULL;
CREATE INDEX links_by_end ON links (expires_at) WHERE body IS NOT NULL;
CREATE INDEX uses_by_hash ON uses (hash);

-- Files that a row has used and no longer does: the collector removes those that no other row uses.
CREATE TABLE dropped (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER uses_are_dropped AFTER DELETE ON uses BEGIN
    INSERT OR IGNORE INTO dropped (hash) VALUES (OLD.hash);
END;
DELETE FROM uses WHERE owner NOT IN
    (SELECT id FROM texts UNION SELECT id FROM jobs WHERE body IS NOT NULL UNION SELECT id FROM links WHERE body IS NOT NULL);

-- One row that is written to see whether rows can be.
CREATE TABLE probe (id INTEGER PRIMARY KEY, written INTEGER NOT NULL);

-- Programs from before migrations refuse this database.
PRAGMA user_version = 2;
