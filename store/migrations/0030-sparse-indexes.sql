-- Most invocations have no spec, and many nobody who asked: an index need not hold what is not there.
DROP INDEX idx_subagent_sessions_spec_ordinal;
DROP INDEX idx_subagent_sessions_parent;
DROP INDEX idx_subagent_sessions_owner;
DROP INDEX idx_subagent_sessions_owner_session;
CREATE INDEX idx_subagent_sessions_spec_ordinal ON subagent_sessions (spec_id, ordinal)
  WHERE spec_id IS NOT NULL;
CREATE INDEX idx_subagent_sessions_parent ON subagent_sessions (parent_session_id, ordinal)
  WHERE parent_session_id IS NOT NULL;
CREATE INDEX idx_subagent_sessions_owner ON subagent_sessions (owner_invocation_id)
  WHERE owner_invocation_id IS NOT NULL;
CREATE INDEX idx_subagent_sessions_owner_session ON subagent_sessions (owner_session_id)
  WHERE owner_session_id IS NOT NULL;
