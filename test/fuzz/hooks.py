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
