-- The seed's table, as a view over turns: what was said, without marks and raw output.
CREATE VIEW session_transcripts AS
SELECT s.session_key,
       coalesce((
         SELECT group_concat(
                  CASE t.role WHEN 'assistant' THEN 'Assistant: ' ELSE 'User: ' END || t.text,
                  char(10) ORDER BY t.seq)
         FROM turns t
         WHERE t.session_id = s.id AND t.role IN ('user', 'assistant', 'callback')), '') AS content,
       s.harness,
       s.project,
       s.agent_id,
       s.created_at,
       s.updated_at
FROM sessions s;
