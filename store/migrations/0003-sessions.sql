-- Conversations, external and managed. `last_seq` numbers the turns.
CREATE TABLE sessions (
  id          INTEGER PRIMARY KEY,
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
