-- Invocations. First the columns and indexes of the seed, to the letter; then ours.
CREATE TABLE subagent_sessions (
  id TEXT PRIMARY KEY,
  runner_id TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  created_at TEXT NOT NULL,
  completed_at TEXT,

  -- Context
  workspace_path TEXT NOT NULL,
  spec_id TEXT,
  prompt TEXT NOT NULL,
  files_json TEXT,  -- JSON array of file paths

  -- Result
  result_content TEXT,
  token_input INTEGER,
  token_output INTEGER,
  duration_ms INTEGER,
  error TEXT,

  -- Ours: identity
  ordinal INTEGER NOT NULL UNIQUE,          -- order of acceptance
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  title TEXT,
  request_hash TEXT NOT NULL,               -- the same key with another body is refused

  -- Ours: who asked, and how
  execution_mode TEXT NOT NULL,
  parent_session_id TEXT,                   -- session key of the asking session
  root_session_id TEXT NOT NULL,
  owner_invocation_id TEXT,                 -- the invocation that asked, where one of ours did
  owner_session_id INTEGER,                 -- the external session that asked, where none did
  depth INTEGER NOT NULL,
  detached INTEGER NOT NULL DEFAULT 0,

  -- Ours: how it runs
  runner_json TEXT NOT NULL,                -- the runner as it was when this was accepted
  max_depth INTEGER NOT NULL,
  max_children INTEGER NOT NULL,
  deadline_at TEXT NOT NULL,
  started_at TEXT,
  error_code TEXT,
  error_hint TEXT,
  cancel_requested_at TEXT,
  cancel_code TEXT,
  cancel_reason TEXT,

  -- Ours: admission and engine
  queued_at_ordinal INTEGER,                -- place in the queue for a slot; null = not in it
  queue_class INTEGER NOT NULL DEFAULT 1,   -- 0 before 1: descendants before new roots
  host_id TEXT,                             -- the host whose slot it holds; null = none
  engine_state TEXT NOT NULL DEFAULT 'unstarted' CHECK (engine_state IN ('unstarted', 'open', 'closed')),
  spawn_no INTEGER NOT NULL DEFAULT 0       -- how often the engine has lost its workflow
);

CREATE INDEX idx_subagent_sessions_runner ON subagent_sessions(runner_id);
CREATE INDEX idx_subagent_sessions_spec ON subagent_sessions(spec_id);
CREATE INDEX idx_subagent_sessions_created ON subagent_sessions(created_at);

-- Lists are newest first: with the ordinal in the index a page is read without sorting whole rows.
CREATE INDEX idx_subagent_sessions_runner_ordinal ON subagent_sessions (runner_id, ordinal);
CREATE INDEX idx_subagent_sessions_spec_ordinal ON subagent_sessions (spec_id, ordinal);
CREATE INDEX idx_subagent_sessions_parent ON subagent_sessions (parent_session_id, ordinal);
CREATE INDEX idx_subagent_sessions_root ON subagent_sessions (root_session_id, ordinal);

CREATE INDEX idx_subagent_sessions_session ON subagent_sessions (session_id, ordinal);
CREATE INDEX idx_subagent_sessions_owner ON subagent_sessions (owner_invocation_id);
CREATE INDEX idx_subagent_sessions_owner_session ON subagent_sessions (owner_session_id);
CREATE INDEX idx_subagent_sessions_open ON subagent_sessions (status, deadline_at)
  WHERE status IN ('pending', 'running', 'waiting', 'input_required');
CREATE INDEX idx_subagent_sessions_queue ON subagent_sessions (queue_class, queued_at_ordinal)
  WHERE queued_at_ordinal IS NOT NULL;
CREATE INDEX idx_subagent_sessions_host ON subagent_sessions (host_id) WHERE host_id IS NOT NULL;
