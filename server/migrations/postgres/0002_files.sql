-- Contents of up to 4,000 bytes by their hash, where longer ones are in a bucket, and when each was written or made young again, by the time of this database.
-- A content lies in its row, compressed where that makes it smaller, and not in a table beside it: two of the longest fit into a page. A page keeps room for rows that are made
-- young again, and no index is of that time, so that none changes with it.
CREATE TABLE files (hash bytea PRIMARY KEY, content bytea NOT NULL, written timestamptz NOT NULL) WITH (fillfactor = 90);
ALTER TABLE files ALTER COLUMN content SET STORAGE MAIN;
