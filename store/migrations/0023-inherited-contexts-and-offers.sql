-- What a session was given of its parent's context: the very text, and where it came from.
CREATE TABLE inherited_contexts (
  id                INTEGER PRIMARY KEY,
  session_id        INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  parent_session_id INTEGER NOT NULL,
  given_at          TEXT NOT NULL,
  hash              TEXT NOT NULL,
  text              TEXT NOT NULL,
  sources           TEXT NOT NULL,   -- JSON
  UNIQUE (session_id, hash)
);

-- When a callback was last put before an external session's model, after which of its turns, and how
-- often. Whether it was read is told by what comes after.
ALTER TABLE mailbox ADD COLUMN offered_at TEXT;
ALTER TABLE mailbox ADD COLUMN offered_seq INTEGER;
ALTER TABLE mailbox ADD COLUMN offers INTEGER NOT NULL DEFAULT 0;
