-- One row per started process: a turn of an invocation, claimed by one boot of one host.
CREATE TABLE runs (
  invocation_id TEXT NOT NULL REFERENCES subagent_sessions (id) ON DELETE CASCADE,
  run_no        INTEGER NOT NULL,
  turn          INTEGER NOT NULL,
  input         TEXT NOT NULL CHECK (input IN ('task', 'callbacks')),
  host_id       TEXT NOT NULL,
  boot_id       TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('live', 'ended', 'lost')),
  claimed_at    TEXT NOT NULL,
  ended_at      TEXT,
  PRIMARY KEY (invocation_id, run_no)
) WITHOUT ROWID;
CREATE INDEX idx_runs_live ON runs (host_id, boot_id) WHERE state = 'live';
