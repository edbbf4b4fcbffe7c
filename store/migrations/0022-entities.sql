-- What an agent knows of things by name. `normalized` is the name as words are compared, and `first_word`
-- finds it by one word of a text.
CREATE TABLE entities (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id   TEXT NOT NULL REFERENCES agents (id),
  name       TEXT NOT NULL,
  normalized TEXT NOT NULL,
  first_word TEXT NOT NULL,
  type       TEXT,
  status     TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (agent_id, normalized)
);
CREATE INDEX idx_entities_word ON entities (agent_id, first_word);

CREATE TABLE entity_aliases (
  id         INTEGER PRIMARY KEY,
  agent_id   TEXT NOT NULL REFERENCES agents (id),
  entity_id  INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  alias      TEXT NOT NULL,
  normalized TEXT NOT NULL,
  first_word TEXT NOT NULL,
  UNIQUE (agent_id, normalized)
);
CREATE INDEX idx_entity_aliases_word ON entity_aliases (agent_id, first_word);
CREATE INDEX idx_entity_aliases_entity ON entity_aliases (entity_id);

CREATE TABLE entity_aspects (
  id        INTEGER PRIMARY KEY,
  agent_id  TEXT NOT NULL REFERENCES agents (id),
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  name      TEXT NOT NULL,
  UNIQUE (entity_id, name)
);

CREATE TABLE entity_attributes (
  id         INTEGER PRIMARY KEY,
  agent_id   TEXT NOT NULL REFERENCES agents (id),
  aspect_id  INTEGER NOT NULL REFERENCES entity_aspects (id) ON DELETE CASCADE,
  kind       TEXT NOT NULL CHECK (kind IN ('attribute', 'constraint')),
  content    TEXT NOT NULL,
  importance REAL NOT NULL,
  confidence REAL NOT NULL,
  status     TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX idx_entity_attributes_aspect ON entity_attributes (aspect_id, kind, status);
