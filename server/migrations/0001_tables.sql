-- The tables as they were before migrations; databases of that time have them. A row whose body is null stands for something that was
-- here and is gone.
CREATE TABLE IF NOT EXISTS texts (id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, body TEXT, ended INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS links (id TEXT PRIMARY KEY, body TEXT, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (owner TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
