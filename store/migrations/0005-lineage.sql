-- The edge child → parent, how it was found, and the root and depth that follow from it.
CREATE TABLE lineage (
  session_id        INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  parent_session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  root_session_id   INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  depth             INTEGER NOT NULL,
  rule              TEXT NOT NULL,
  at                TEXT NOT NULL
);
CREATE INDEX idx_lineage_parent ON lineage (parent_session_id);
CREATE INDEX idx_lineage_root ON lineage (root_session_id);
