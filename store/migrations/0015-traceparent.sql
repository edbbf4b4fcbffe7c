-- The trace that an invocation was asked for in, where traces are on: W3C traceparent of the request.
ALTER TABLE subagent_sessions ADD COLUMN traceparent TEXT;
