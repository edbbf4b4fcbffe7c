/**
 * What each error code means and what to do about it, for readers of /api/docs. An answer has words of its own in
 * `detail` and `hint`, which say more: they know the case.
 */
import type { EndingErrorCode, ErrorCode, RequestErrorCode } from './errors.ts';
import { hints } from './hints.ts';

interface ErrorWords {
  means: string;
  toDo: string;
}

const refusals = {
  bad_request: {
    means: 'It makes no sense as it is: a field is missing, not known or of a wrong form.',
    toDo: 'Correct what `detail` names, and send it again.',
  },
  unauthorized: {
    means: 'There is no token, or it is not valid, has ended or was revoked.',
    toDo: hints.token.http,
  },
  forbidden: {
    means: 'The token may not do this, or a web page of another origin has sent it.',
    toDo: 'Use one that may, such as that of the administrator; `detail` and `hint` say what it lacks.',
  },
  bad_host: {
    means: "The `Host` header has a name that is not this server's.",
    toDo: 'Use the address in server.json, or add the name to `server.names` in the configuration.',
  },
  not_found: {
    means: 'Nothing is at this address, or what is named was never there or has been deleted.',
    toDo: 'Correct the id, key or path; `GET /api/subagents` and `GET /api/sessions` list what there is.',
  },
  unknown_runner: {
    means: 'There is no runner of this name.',
    toDo: hints.addRunner.http,
  },
  unknown_parent: {
    means: 'The session that is to be the parent is not there.',
    toDo: hints.registerParent.http,
  },
  parent_required: {
    means: 'ASYNC_CALLBACK needs a parent session to call back.',
    toDo: hints.nameParent.http,
  },
  parent_final: {
    means: 'The invocation that asks has ended or is being cancelled: it can ask for nothing more.',
    toDo: 'Ask with another parent, or with none.',
  },
  parent_conflict: {
    means: 'The session key is one of several agents, or what is imported is not what is there.',
    toDo: 'Name the agent that is meant: `agentId`.',
  },
  session_claimed: {
    means: 'Hooks of this session come on the other runtime path.',
    toDo: 'Report it on one path; the claim ends with the session, or at the time in `hint`.',
  },
  runner_single_turn: {
    means: 'The runner takes one turn only, so nothing can reach its session later.',
    toDo: hints.singleTurn.http,
  },
  cycle: {
    means: 'It would wait for itself: what is named stands above who asks.',
    toDo: 'Wait only for what you have asked for.',
  },
  depth_exceeded: {
    means: 'Agents have asked agents as deep as `limits.maxDepth` allows.',
    toDo: 'Do this work in the present agent, or let an agent higher up ask for it.',
  },
  children_exceeded: {
    means: 'The parent has as many open children as `limits.maxChildren` allows.',
    toDo: hints.fewerChildren.http,
  },
  capacity: {
    means: 'Every process that the host may hold would wait for another.',
    toDo: hints.noRoom.http,
  },
  idempotency_mismatch: {
    means: 'The Idempotency-Key was used for another request.',
    toDo: hints.newKey.http,
  },
  prompt_too_large: {
    means: 'The prompt is longer than any, or than one that is an argument, may be.',
    toDo: hints.promptTooLarge.http,
  },
  body_too_large: {
    means: 'The body is longer than one may be.',
    toDo: 'Put large material into files of the workspace and name them in `context.files`.',
  },
  transcript_refused: {
    means: 'The file at `transcriptPath` lies outside of the allowed folders, or cannot be read.',
    toDo: 'Send it inline as `transcript`, or add its folder to `hooks.transcriptRoots` in the configuration.',
  },
  transcript_not_a_file: {
    means: 'What lies at `transcriptPath` is no regular file.',
    toDo: 'Name the file itself, or send it inline as `transcript`.',
  },
  transcript_too_large: {
    means: 'More of a transcript came at once, or is asked for at once, than may be.',
    toDo: 'Report it in smaller parts; read it in pages (`format=turns`).',
  },
  workspace_missing: {
    means: 'The workspace is not a folder that exists.',
    toDo: hints.workspace.http,
  },
  file_missing: {
    means: 'A file of `context.files` does not exist in the workspace, or is no file.',
    toDo: 'Name files that are there.',
  },
  file_outside_workspace: {
    means: 'A file of `context.files` lies outside of the workspace.',
    toDo: hints.filesInside.http,
  },
  still_running: {
    means: 'What is to be deleted, or something below it, has not ended.',
    toDo: hints.stillRunning.http,
  },
  config_invalid: {
    means: 'The configuration of the home has a mistake.',
    toDo: '`offshoot config check` names it.',
  },
  stale_claim: {
    means: 'A runner host speaks of a run, or as a process, that is no longer its own.',
    toDo: 'Nothing: runner hosts greet the server anew by themselves.',
  },
  home_in_use: {
    means: 'The home, or the port of its server, is taken by another process.',
    toDo: 'Use that server, end it with `offshoot down`, or choose another port or home.',
  },
  home_unusable: {
    means: 'The home, or a folder in it, cannot be used.',
    toDo: 'Mend what `detail` names; `offshoot doctor` looks at disks and rights.',
  },
  database_newer: {
    means: 'The database was written by a newer Offshoot.',
    toDo: 'Update Offshoot, or use another home.',
  },
  database_busy: {
    means: 'Another program has locked the database. Nothing was written.',
    toDo: 'Try again; if it stays so, see who has main.db open.',
  },
  database_damaged: {
    means: 'The database is damaged, or was taken away.',
    toDo: '`offshoot down`, then `offshoot restore` with the newest backup, then `offshoot up`.',
  },
  disk_full: {
    means: 'The disk of the home has no room left. Nothing was accepted.',
    toDo: 'Make room and ask again; `offshoot doctor` shows the disks.',
  },
  store_unwritable: {
    means: 'The home cannot be written. Nothing was accepted.',
    toDo: 'See whether its disk is mounted read-only or fails, and who owns the home: `offshoot doctor`.',
  },
  backup_failed: {
    means: 'The copy of the store was not made; the store goes on.',
    toDo: 'Make room, or name another folder: `backup.folder` in the configuration.',
  },
  backup_invalid: {
    means: 'The file is no backup, or a damaged one. Nothing was changed.',
    toDo: "Restore another one of those in the backups' folder.",
  },
  engine_unavailable: {
    means: 'Temporal could not be found, made or started.',
    toDo: '`offshoot engine status` looks at it, `offshoot doctor` at all.',
  },
  search_unavailable: {
    means: 'The search does not answer; what sessions say is kept all the same.',
    toDo: 'Try again in a minute.',
  },
  server_unavailable: {
    means: 'The server does not answer, or cannot answer now.',
    toDo: hints.mayBeTaken.http,
  },
  internal: {
    means: 'Something failed inside the server.',
    toDo: 'Its log, server.log, says what. The same request may be sent again.',
  },
} as const satisfies Record<RequestErrorCode, ErrorWords>;

const endings = {
  runner_missing: {
    means: 'The program of the runner was not found, or is not executable.',
    toDo: 'Install it, or correct `command` of the runner; its absolute path is safest.',
  },
  exit_nonzero: {
    means: 'The program ended with an exit code other than 0.',
    toDo: 'See what it wrote: `offshoot logs <id>`.',
  },
  killed_by_signal: {
    means: 'The program was ended by a signal that Offshoot did not send.',
    toDo: 'See what it wrote: `offshoot logs <id>`. SIGKILL is often a lack of memory.',
  },
  empty_result: {
    means: 'The program ended without an answer.',
    toDo: 'It must print its answer to stdout; stderr is for progress.',
  },
  invalid_result: {
    means: 'The output is not JSON, or has no answer at `resultPath`.',
    toDo: '`offshoot transcript <id>` shows it; correct `result` and `resultPath` of the runner.',
  },
  agent_error: {
    means: 'The agent has said of its own answer that it is an error.',
    toDo: "Read `error`: it is the agent's own words.",
  },
  unresolved_placeholder: {
    means: "A `${NAME}` in the runner's `env` has no value.",
    toDo: 'Set it where `offshoot up` is run, then `offshoot down`, `offshoot up`.',
  },
  env_missing: {
    means: 'The values of its `context.env` are not in the home any more.',
    toDo: 'They are in no backup: ask again with `context.env`.',
  },
  spawn_failed: {
    means: 'The program could not be started: the workspace, its arguments or the system refused.',
    toDo: 'Mend what `error` names.',
  },
  turn_timeout: {
    means: 'One run took longer than `timeoutSeconds` of its runner.',
    toDo: 'Raise it, or ask for less at once.',
  },
  wall_time: {
    means: 'The invocation took longer than `limits.wallSeconds`, waiting included.',
    toDo: 'Raise it, or ask for less at once.',
  },
  no_host: {
    means: 'No runner host took it within `limits.hostWaitSeconds`.',
    toDo: 'See that a runner host is up (`offshoot status`), then ask again.',
  },
  outcome_unknown: {
    means: 'The run was lost: it may have had effects, and nobody knows how it ended.',
    toDo: 'Look at transcript and workspace, then ask again; `onLost: rerun` is for what may be repeated.',
  },
  cancelled: {
    means: 'It was cancelled, by itself or with what asked for it.',
    toDo: 'Nothing; ask again if it is still wanted.',
  },
  parent_ended: {
    means: 'Its parent ended without completing, and it was not detached.',
    toDo: 'Look at the parent; start with `detached` what should go on without it.',
  },
  engine_rejected: {
    means: 'Temporal refused to start its workflow.',
    toDo: 'Look at the request: a name or a size that Temporal does not take.',
  },
} as const satisfies Record<EndingErrorCode, ErrorWords>;

export const errorWords: Record<ErrorCode, ErrorWords> = { ...refusals, ...endings };
