-- Runner hosts on other machines that may speak to this server, each with the one token that holds.
CREATE TABLE host_tokens (
  host_id    TEXT PRIMARY KEY,
  token_id   TEXT NOT NULL,
  created_at TEXT NOT NULL
) WITHOUT ROWID;
