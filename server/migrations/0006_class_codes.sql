-- Short words that lead to a link for a day.
CREATE TABLE class_codes (code TEXT PRIMARY KEY, link TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX class_codes_by_end ON class_codes (expires_at, code);
