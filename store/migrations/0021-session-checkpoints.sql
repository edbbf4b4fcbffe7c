-- What a session was about up to a turn: taken at its compactions, at its end and every so many prompts.
CREATE TABLE session_checkpoints (
  id                INTEGER PRIMARY KEY,
  agent_id          TEXT NOT NULL REFERENCES agents (id),
  session_id        INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq               INTEGER NOT NULL,   -- the last turn that it covers
  trigger           TEXT NOT NULL,
  digest            TEXT NOT NULL,      -- what a child reads
  summary           TEXT,               -- the last one that was written for this session, here or before
  prompt_count      INTEGER NOT NULL,
  focal_entity_ids  TEXT NOT NULL,      -- JSON array
  created_at        TEXT NOT NULL
);
CREATE INDEX idx_session_checkpoints_session ON session_checkpoints (session_id, seq);
