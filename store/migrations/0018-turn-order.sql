-- The ranges of turns that a conversation is read in, where that is not how they came: what was said in a
-- branch that its program has left is in none of them. The last range is open: it takes what comes.
CREATE TABLE turn_order (
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  place      INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  to_seq     INTEGER,
  PRIMARY KEY (session_id, place)
) WITHOUT ROWID;

DROP VIEW session_transcripts;
CREATE VIEW session_transcripts AS
SELECT s.session_key,
       coalesce((
         SELECT group_concat(
                  CASE t.role WHEN 'assistant' THEN 'Assistant: ' ELSE 'User: ' END || t.text,
                  char(10) ORDER BY o.place, t.seq)
         FROM turns t
         LEFT JOIN turn_order o
           ON o.session_id = t.session_id AND t.seq >= o.from_seq AND t.seq <= coalesce(o.to_seq, t.seq)
         WHERE t.session_id = s.id AND t.role IN ('user', 'assistant', 'callback')
           AND (o.place IS NOT NULL
                OR NOT EXISTS (SELECT 1 FROM turn_order WHERE session_id = s.id))), '') AS content,
       s.harness,
       s.project,
       s.agent_id,
       s.created_at,
       s.updated_at
FROM sessions s;
