-- Requests that came before, by hashes that only the server can make: sent again, they lead to the same job.
CREATE TABLE requests (name TEXT PRIMARY KEY, said TEXT, job TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX requests_by_job ON requests (job);
CREATE INDEX requests_by_end ON requests (expires_at);
