-- Runner hosts and their present boot.
CREATE TABLE hosts (
  id           TEXT PRIMARY KEY,
  boot_id      TEXT NOT NULL,
  hostname     TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  slots        INTEGER NOT NULL,
  ceiling      INTEGER NOT NULL,
  draining     INTEGER NOT NULL DEFAULT 0,
  last_seen_at TEXT NOT NULL
) WITHOUT ROWID;
