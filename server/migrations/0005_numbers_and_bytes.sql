-- What rows refer to each other by is a number, in the order in which they came, and hashes are bytes: half as many pages change with a job, since what belongs
-- to rows that come together lies together, and an index of hashes holds twice as many on a page. No number is used again.

-- Which files a row uses. Kind 0 is an upload, 1 a job, 2 a link.
CREATE TABLE uses_by_number (kind INTEGER NOT NULL, owner INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (kind, owner, hash)) WITHOUT ROWID;

CREATE TABLE numbered_texts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    owner BLOB
);
INSERT INTO numbered_texts (id, bytes, expires_at, owner) SELECT id, bytes, expires_at, unhex(owner) FROM texts ORDER BY expires_at, id;
INSERT INTO uses_by_number SELECT 0, number, unhex(hash) FROM numbered_texts JOIN uses ON uses.owner = id;
DROP TABLE texts;
ALTER TABLE numbered_texts RENAME TO texts;
CREATE INDEX texts_by_end ON texts (expires_at);

CREATE TABLE numbered_jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    ended INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    owner BLOB,
    body TEXT
);
INSERT INTO numbered_jobs (id, ended, expires_at, attempt, owner, body)
    SELECT id, ended, expires_at, attempt, unhex(owner), body FROM jobs ORDER BY rowid;
INSERT INTO uses_by_number SELECT 1, number, unhex(hash) FROM numbered_jobs JOIN uses ON uses.owner = id;
DROP TABLE jobs;
ALTER TABLE numbered_jobs RENAME TO jobs;
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE body IS NOT NULL;
CREATE INDEX jobs_gone ON jobs (expires_at) WHERE body IS NULL;
CREATE INDEX jobs_open ON jobs (id) WHERE ended = 0 AND body IS NOT NULL;

CREATE TABLE numbered_links (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    body TEXT,
    token BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
);
INSERT INTO numbered_links (id, body, token, created_at, expires_at)
    SELECT id, body, unhex(token), created_at, expires_at FROM links ORDER BY created_at, id;
INSERT INTO uses_by_number SELECT 2, number, unhex(hash) FROM numbered_links JOIN uses ON uses.owner = id;
DROP TABLE links;
ALTER TABLE numbered_links RENAME TO links;
CREATE INDEX links_by_end ON links (expires_at) WHERE body IS NOT NULL;

CREATE TABLE dropped_files (hash BLOB PRIMARY KEY) WITHOUT ROWID;
INSERT INTO dropped_files SELECT unhex(hash) FROM dropped;
-- The trigger goes with its table.
DROP TABLE uses;
DROP TABLE dropped;
ALTER TABLE uses_by_number RENAME TO uses;
ALTER TABLE dropped_files RENAME TO dropped;
CREATE INDEX uses_by_hash ON uses (hash);
CREATE TRIGGER uses_are_dropped AFTER DELETE ON uses BEGIN
    INSERT OR IGNORE INTO dropped (hash) VALUES (OLD.hash);
END;

CREATE TABLE numbered_requests (name BLOB PRIMARY KEY, said BLOB, job INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO numbered_requests SELECT unhex(name), unhex(said), number, requests.expires_at FROM requests JOIN jobs ON jobs.id = requests.job;
DROP TABLE requests;
ALTER TABLE numbered_requests RENAME TO requests;
CREATE INDEX requests_by_job ON requests (job);
CREATE INDEX requests_by_end ON requests (expires_at);
