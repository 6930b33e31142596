-- Short words that lead to a link for a day.
CREATE TABLE class_codes (code text COLLATE "C" PRIMARY KEY, link text COLLATE "C" NOT NULL, expires_at bigint NOT NULL);
CREATE INDEX class_codes_by_end ON class_codes (expires_at, code);
