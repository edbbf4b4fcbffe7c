-- Transcripts: append-only. `src` names where an entry came from, so that a repeat adds nothing.
CREATE TABLE turns (
  id            INTEGER PRIMARY KEY,
  session_id    INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq           INTEGER NOT NULL,
  role          TEXT NOT NULL,
  at            TEXT NOT NULL,
  text          TEXT NOT NULL,
  src           TEXT,
  invocation_id TEXT,
  run_no        INTEGER,
  late          INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, seq)
);
CREATE UNIQUE INDEX idx_turns_src ON turns (session_id, src) WHERE src IS NOT NULL;
CREATE INDEX idx_turns_invocation ON turns (invocation_id, seq) WHERE invocation_id IS NOT NULL;
