"""Lets requests that a schema calls good get past what no schema can say: which runners there are, which folders."""

import schemathesis


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if not case.meta or case.meta.generation.mode.value != "positive":
        return
    if case.method == "POST" and case.path == "/api/subagents" and isinstance(case.body, dict):
        body = case.body
        if len(str(body.get("prompt", ""))) % 8:
            body["runnerId"] = "demo"
            body.pop("parentSessionId", None)
            if isinstance(body.get("context"), dict):
                body["context"].pop("workspacePath", None)
                body["context"].pop("files", None)


LIVE_STREAM = "/api/sessions/{key}/events"
# Each lasts until it is given up, which is time and nothing else: so many are enough.
LIVE_STREAMS_MAX = 5
live_streams = 0


@schemathesis.hook
def after_call(ctx, case, response):
    global live_streams
    if case.path == LIVE_STREAM and response.status_code == 200:
        live_streams += 1


@schemathesis.hook("before_call")
def ask_nobody(ctx, case, kwargs):
    if case.path == LIVE_STREAM and live_streams >= LIVE_STREAMS_MAX:
        case.path_parameters = {"key": "a session that nobody has named"}
