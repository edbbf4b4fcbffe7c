-- Persistence scopes: who may see the data.
CREATE TABLE agents (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  read_policy  TEXT NOT NULL DEFAULT 'isolated' CHECK (read_policy IN ('isolated', 'shared', 'group')),
  policy_group TEXT
);
