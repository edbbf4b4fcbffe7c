-- What was read stays, so the table grows for ever: each hook, each run and each deletion went through all of it. Nothing
-- asked for `state <> 'delivered'` in these words, and so nothing ever used the index of them.
DROP INDEX idx_mailbox_open;
CREATE INDEX idx_mailbox_session ON mailbox (session_id, state);
CREATE INDEX idx_mailbox_handed ON mailbox (handed_to) WHERE handed_to IS NOT NULL;
