-- A file that a sub-agent's program names is looked up by the program's own id of the sub-agent.
CREATE INDEX idx_sessions_harness_agent ON sessions (harness_agent_id)
  WHERE harness_agent_id IS NOT NULL;
