-- What a hook was answered under its key, so that a repeat adds nothing and hears the same.
CREATE TABLE hook_answers (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  key        TEXT NOT NULL,
  answer     TEXT NOT NULL,
  UNIQUE (session_id, key)
);
