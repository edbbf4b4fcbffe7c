-- What the search index, a file of its own, cannot see by the ids of new turns: that turns have gone
-- or have changed, and that a session belongs elsewhere. Rows are taken away when the index has followed them.
CREATE TABLE search_changes (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  turn_id    INTEGER,
  session_id INTEGER
);
CREATE TRIGGER search_turn_removed AFTER DELETE ON turns
BEGIN
  INSERT INTO search_changes (turn_id) VALUES (old.id);
END;
-- A prompt that a hook has brought may get its tools when the transcript comes.
CREATE TRIGGER search_turn_changed AFTER UPDATE OF text, tools ON turns
WHEN old.text IS NOT new.text OR old.tools IS NOT new.tools
BEGIN
  INSERT INTO search_changes (turn_id) VALUES (new.id);
END;
CREATE TRIGGER search_project_changed AFTER UPDATE OF project ON sessions
WHEN old.project IS NOT new.project AND new.last_seq > 0
BEGIN
  INSERT INTO search_changes (session_id) VALUES (new.id);
END;
CREATE TRIGGER search_parent_found AFTER INSERT ON lineage
WHEN (SELECT last_seq FROM sessions WHERE id = new.session_id) > 0
BEGIN
  INSERT INTO search_changes (session_id) VALUES (new.session_id);
END;
CREATE TRIGGER search_root_changed AFTER UPDATE OF root_session_id ON lineage
WHEN old.root_session_id <> new.root_session_id
BEGIN
  INSERT INTO search_changes (session_id) VALUES (new.session_id);
END;
CREATE TRIGGER search_parent_lost AFTER DELETE ON lineage
BEGIN
  INSERT INTO search_changes (session_id) VALUES (old.session_id);
END;

-- A hit tells which turn it is, and marks are not counted.
CREATE INDEX idx_turns_marks ON turns (session_id, seq) WHERE role = 'mark';
