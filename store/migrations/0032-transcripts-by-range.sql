-- Range by range: each turn was held against every range, and a long conversation that was told in another order
-- kept the server from all else for minutes.
DROP VIEW session_transcripts;
CREATE VIEW session_transcripts AS
SELECT s.session_key,
       coalesce((
         SELECT group_concat(
                  CASE role WHEN 'assistant' THEN 'Assistant: ' ELSE 'User: ' END || text,
                  char(10) ORDER BY place, seq)
         FROM (SELECT o.place, t.seq, t.role, t.text
               FROM turn_order o
               CROSS JOIN turns t
                 ON t.session_id = o.session_id AND t.seq >= o.from_seq
                    AND t.seq <= coalesce(o.to_seq, 9223372036854775807)
               WHERE o.session_id = s.id
               UNION ALL
               SELECT 0, seq, role, text FROM turns
               WHERE session_id = s.id
                 AND NOT EXISTS (SELECT 1 FROM turn_order WHERE session_id = s.id))
         WHERE role IN ('user', 'assistant', 'callback')), '') AS content,
       s.harness,
       s.project,
       s.agent_id,
       s.created_at,
       s.updated_at
FROM sessions s;
