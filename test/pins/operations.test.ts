/** What callers build on. A red pin means: say so in the changelog, then change the pin. */
import { expect, test } from '@jest/globals';
import { problemStatus } from '../../api/problem.ts';
import { openApiDocument } from '../../api/openapi.ts';

test('the operations over HTTP are as they were', () => {
  const lines = Object.entries(openApiDocument('').paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${operation.operationId}: ${method.toUpperCase()} ${path}`,
    ),
  );
  expect(lines.toSorted()).toEqual([
    'ackCallbacks: POST /api/sessions/{key}/callbacks/ack',
    'cancelSubagent: POST /api/subagents/{id}/cancel',
    'checkStore: POST /api/store/check',
    'deleteSession: DELETE /api/sessions/{key}',
    'deleteSubagent: DELETE /api/subagents/{id}',
    'getCallbacks: GET /api/sessions/{key}/callbacks',
    'getHealth: GET /api/health',
    'getSpecHistory: GET /api/specs/{specId}/history',
    'getSubagent: GET /api/subagents/{id}',
    'getTranscript: GET /api/subagents/{id}/transcript',
    'getTree: GET /api/sessions/{key}/tree',
    'hookCompactionComplete: POST /api/hooks/compaction-complete',
    'hookPreCompaction: POST /api/hooks/pre-compaction',
    'hookSessionCheckpointExtract: POST /api/hooks/session-checkpoint-extract',
    'hookSessionEnd: POST /api/hooks/session-end',
    'hookSessionStart: POST /api/hooks/session-start',
    'hookStop: POST /api/hooks/stop',
    'hookSubagentStart: POST /api/hooks/subagent-start',
    'hookSubagentStop: POST /api/hooks/subagent-stop',
    'hookUserPromptSubmit: POST /api/hooks/user-prompt-submit',
    'issueHostToken: POST /api/hosts/{hostId}/token',
    'listRunners: GET /api/runners',
    'listSubagents: GET /api/subagents',
    'registerSession: PUT /api/sessions/{key}',
    'revokeHostToken: DELETE /api/hosts/{hostId}/token',
    'runSubagent: POST /api/subagents',
    'sendToSubagent: POST /api/subagents/{id}/send',
    'takeBackup: POST /api/backups',
    'waitSubagents: POST /api/subagents/wait',
    'watchSubagent: GET /api/subagents/{id}/events',
  ]);
});

test('the status of each code is as it was', () => {
  expect(problemStatus).toEqual({
    bad_request: 400,
    unauthorized: 401,
    forbidden: 403,
    bad_host: 421,
    not_found: 404,
    unknown_runner: 400,
    unknown_parent: 404,
    parent_required: 400,
    parent_final: 409,
    parent_conflict: 409,
    session_claimed: 409,
    runner_single_turn: 409,
    cycle: 422,
    depth_exceeded: 422,
    children_exceeded: 409,
    capacity: 429,
    idempotency_mismatch: 422,
    prompt_too_large: 413,
    body_too_large: 413,
    transcript_refused: 403,
    transcript_not_a_file: 400,
    transcript_too_large: 413,
    workspace_missing: 422,
    file_missing: 422,
    file_outside_workspace: 422,
    still_running: 409,
    config_invalid: 500,
    stale_claim: 409,
    home_in_use: 500,
    home_unusable: 500,
    database_newer: 500,
    database_busy: 503,
    database_damaged: 500,
    disk_full: 507,
    store_unwritable: 507,
    backup_failed: 500,
    backup_invalid: 422,
    engine_unavailable: 503,
    server_unavailable: 503,
    internal: 500,
  });
});
