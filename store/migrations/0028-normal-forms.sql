-- What is asked for is brought to one form since: so must be what was kept before. A folder without a slash at its end:
UPDATE sessions SET project = CASE rtrim(project, '/') WHEN '' THEN '/' ELSE rtrim(project, '/') END
WHERE length(project) > 1 AND project LIKE '%/';

-- a program by its canonical name (harnesses/names.ts as of this migration):
UPDATE sessions
SET harness = CASE replace(lower(trim(harness)), '_', '-')
                WHEN 'claude' THEN 'claude-code'
                WHEN 'codex-cli' THEN 'codex'
                WHEN 'gemini' THEN 'gemini-cli'
                WHEN 'copilot' THEN 'copilot-cli'
                WHEN 'github-copilot' THEN 'copilot-cli'
                ELSE replace(lower(trim(harness)), '_', '-')
              END
WHERE replace(lower(trim(harness)), '_', '-') IN
  ('claude', 'claude-code', 'codex', 'codex-cli', 'gemini', 'gemini-cli', 'copilot', 'copilot-cli', 'github-copilot',
   'opencode', 'openclaw');

-- and a key without `session:` before it, where no session has that already. What has asked for anything, or stands in
-- a tree, keeps its key: workflows, and rows that name it, know it by that.
UPDATE OR IGNORE sessions SET session_key = trim(substr(session_key, 9))
WHERE session_key LIKE 'session:%' AND substr(session_key, 1, 8) = 'session:' AND trim(substr(session_key, 9)) <> ''
  AND kind = 'external'
  AND NOT EXISTS (SELECT 1 FROM subagent_sessions WHERE owner_session_id = sessions.id)
  AND NOT EXISTS (SELECT 1 FROM lineage
                  WHERE session_id = sessions.id OR parent_session_id = sessions.id OR root_session_id = sessions.id);
