-- What rows refer to each other by is a number, in the order in which they came; ids are text, as people see them, and hashes are bytes. Times are seconds
-- since 1970. A row whose body is null stands for something that was here and is gone.

CREATE TABLE texts (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    bytes bigint NOT NULL,
    expires_at bigint NOT NULL,
    owner bytea
);
CREATE INDEX texts_by_end ON texts (expires_at, number);

CREATE TABLE jobs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    ended boolean NOT NULL,
    expires_at bigint NOT NULL,
    attempt bigint NOT NULL,
    owner bytea,
    body text
);
CREATE INDEX jobs_by_end ON jobs (expires_at, number) WHERE body IS NOT NULL;
CREATE INDEX jobs_gone ON jobs (expires_at, number) WHERE body IS NULL;
CREATE INDEX jobs_open ON jobs (id) WHERE NOT ended AND body IS NOT NULL;

CREATE TABLE links (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    body text,
    token bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint
);
CREATE INDEX links_by_end ON links (expires_at, number) WHERE body IS NOT NULL;

-- Requests that came before, by hashes that only the server can make: sent again, they lead to the same job.
CREATE TABLE requests (name bytea PRIMARY KEY, said bytea, job bigint NOT NULL, expires_at bigint NOT NULL);
CREATE INDEX requests_by_job ON requests (job);
CREATE INDEX requests_by_end ON requests (expires_at, name);

-- Which files a row uses. Kind 0 is an upload, 1 a job, 2 a link.
CREATE TABLE uses (kind smallint NOT NULL, owner bigint NOT NULL, hash bytea NOT NULL, PRIMARY KEY (kind, owner, hash));
CREATE INDEX uses_by_hash ON uses (hash);

-- Files that a row has used and no longer does: the collector removes those that no other row uses. They are written in the order of their names, so that
-- two transactions that free the same files do not wait for each other in a circle.
CREATE TABLE dropped (hash bytea PRIMARY KEY);
CREATE FUNCTION uses_are_dropped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO dropped (hash) SELECT DISTINCT hash FROM gone ORDER BY hash ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER uses_are_dropped AFTER DELETE ON uses REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION uses_are_dropped();

-- One row that is written to see whether rows can be.
CREATE TABLE probe (id integer PRIMARY KEY, written bigint NOT NULL);

-- What hashes in rows are made with, the same for all servers on these tables.
CREATE TABLE secret (id integer PRIMARY KEY CHECK (id = 1), bytes bytea NOT NULL);
