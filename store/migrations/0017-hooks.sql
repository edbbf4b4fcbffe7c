-- What agent programs report. A turn keeps the line that its program wrote, its tools' calls and results,
-- where it came from, and what its hook said beside it.
ALTER TABLE turns ADD COLUMN raw TEXT;
ALTER TABLE turns ADD COLUMN tools TEXT;   -- JSON, as contract/transcript.ts has it
ALTER TABLE turns ADD COLUMN source TEXT;  -- hook or snapshot; null: we wrote it
ALTER TABLE turns ADD COLUMN extra TEXT;   -- JSON: fields of the hook that no hook knows

-- Which runtime path holds a session, until when; whether hooks do nothing for it; how often its context
-- began anew; and how much of its program's transcript is known. In the row that every hook writes anyway.
ALTER TABLE sessions ADD COLUMN runtime_path TEXT CHECK (runtime_path IN ('plugin', 'legacy'));
ALTER TABLE sessions ADD COLUMN claimed_at TEXT;
ALTER TABLE sessions ADD COLUMN claim_expires_at TEXT;
ALTER TABLE sessions ADD COLUMN bypassed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN context_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN snapshot TEXT;  -- JSON, as store/snapshots.ts has it
