-- Conversations, external and managed. `last_seq` numbers the turns. The id of a deleted one is not
-- given again: what was on its way to it must not reach another.
CREATE TABLE sessions (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id    TEXT NOT NULL REFERENCES agents (id),
  session_key TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('external', 'managed')),
  harness     TEXT,
  project     TEXT,
  title       TEXT,
  last_seq    INTEGER NOT NULL DEFAULT 0,
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL,
  UNIQUE (agent_id, session_key)
);
CREATE INDEX idx_sessions_key ON sessions (session_key);
