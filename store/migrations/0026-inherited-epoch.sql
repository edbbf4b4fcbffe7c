-- In which of the session's contexts it was given: in a new one its model does not know it any more.
ALTER TABLE inherited_contexts ADD COLUMN context_epoch INTEGER NOT NULL DEFAULT 0;
