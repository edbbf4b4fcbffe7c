-- Facts about this home: its id, and the engine's epoch that the rows below were last reconciled with.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
