-- Which range has a turn, and which go on behind one: a hook must not read the whole order of a long session.
CREATE INDEX turn_order_by_end ON turn_order (session_id, to_seq);
