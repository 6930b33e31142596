-- Jobs in the order in which they came: rows that come together lie on pages that come together, where ids, which are random, lead to as many pages
-- as there are rows. A row's body is what takes room.
CREATE TABLE jobs_in_order (
    id TEXT NOT NULL PRIMARY KEY,
    ended INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    body TEXT
);
INSERT INTO jobs_in_order (id, ended, expires_at, attempt, owner, body)
    SELECT id, ended, expires_at, attempt, owner, body FROM jobs ORDER BY expires_at, id;
DROP TABLE jobs;
ALTER TABLE jobs_in_order RENAME TO jobs;
CREATE INDEX jobs_by_end ON jobs (expires_at, id) WHERE body IS NOT NULL;
CREATE INDEX jobs_gone ON jobs (expires_at, id) WHERE body IS NULL;
CREATE INDEX jobs_open ON jobs (id) WHERE ended = 0 AND body IS NOT NULL;
