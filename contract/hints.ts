/**
 * What to do about a refusal, in the words of whoever asked: the server speaks HTTP, and the command
 * line and MCP put their own words in its place. The one table for all three.
 */
export type Surface = 'http' | 'cli' | 'mcp';

export const hints = {
  fields: {
    http: 'The fields are described at /api/docs.',
    cli: 'offshoot help <command> describes its options.',
    mcp: 'Correct the named arguments and call again.',
  },
  otherToken: {
    http: 'It takes another token, such as the one of the administrator, who makes others with POST /api/tokens.',
    cli: 'It takes another token: `offshoot help token create` says how the administrator makes one.',
    mcp: 'It takes another token: a person has to start `offshoot mcp` with it.',
  },
  rawExport: {
    http: 'Leave `raw` out, and they are redacted; or use the token of an operator or the administrator.',
    cli: 'Leave --raw out, and they are redacted; or use the token of an operator (`offshoot help token create`).',
    mcp: 'A person can export it: `offshoot export --raw`.',
  },
  fewerPermissions: {
    http: 'Name fewer `permissions`, or another `role`.',
    cli: 'Give fewer --permission, or another --role.',
    mcp: 'A person makes tokens: `offshoot help token create`.',
  },
  otherParent: {
    http: 'Ask with another parent, or with none.',
    cli: 'Name another session with --parent, or leave it out.',
    mcp: 'Nothing more can be asked for in this session.',
  },
  token: {
    http: 'Send "Authorization: Bearer <token>". The token is in the file that `tokenFile` in server.json names; an agent finds its own in OFFSHOOT_TOKEN.',
    cli: 'OFFSHOOT_URL and OFFSHOOT_TOKEN are taken where they are set: set both for this server, or neither.',
    mcp: 'A person has to start `offshoot mcp` with OFFSHOOT_URL and OFFSHOOT_TOKEN of this server, or with neither.',
  },
  registerParent: {
    http: 'Register it first: PUT /api/sessions/{key}',
    cli: '`offshoot sessions` shows those that there are. Without --parent it is a root.',
    mcp: 'Leave parentSessionId out: your own session is known.',
  },
  nameParent: {
    http: 'Name parentSessionId (or X-Agent-Session-Id), or use ASYNC_POLL.',
    cli: 'Name the session with --parent, or use --mode ASYNC_POLL.',
    mcp: 'Use executionMode ASYNC_POLL, and read the answer with wait_subagents.',
  },
  nameAgent: {
    http: 'Name the agent: agentId.',
    cli: 'Name the agent with --agent, or an invocation by its id (sub_…).',
    mcp: 'Name the agent: agentId.',
  },
  otherAgent: {
    http: 'Name another agent to import it for: agentId.',
    cli: 'Import it for another agent: --agent <id>.',
    mcp: 'Name another agent to import it for: agentId.',
  },
  addRunner: {
    http: 'Add it under "runners" in the configuration of the home (offshoot config path).',
    cli: '`offshoot runners` shows them; `offshoot config path` names the file to add one to.',
    mcp: 'Call again with one of those as runnerId.',
  },
  singleTurn: {
    http: 'Use SYNC or ASYNC_POLL, or give the runner "turns": true.',
    cli: 'Use --mode SYNC or ASYNC_POLL, or set `turns: true` for that runner.',
    mcp: 'Use executionMode SYNC or ASYNC_POLL.',
  },
  newSession: {
    http: 'Ask for a new sub-agent, or give the runner "turns": true.',
    cli: 'Start a new one with `offshoot run`, or set `turns: true` for that runner.',
    mcp: 'Call runSubagent for a new one.',
  },
  fewerChildren: {
    http: 'Wait until some have ended, or cancel some.',
    cli: 'Wait for some (`offshoot wait <id>`), or cancel some (`offshoot cancel <id>`).',
    mcp: 'Wait for some (wait_subagents), or cancel some (cancel_subagent), then call again.',
  },
  noRoom: {
    http: 'Use ASYNC_POLL or ASYNC_CALLBACK here, or raise limits.slots in the configuration.',
    cli: 'Use --mode ASYNC_POLL or ASYNC_CALLBACK, or raise limits.slots in the configuration.',
    mcp: 'Use executionMode ASYNC_POLL or ASYNC_CALLBACK here.',
  },
  newKey: {
    http: 'Use a new key for a new request.',
    cli: 'Give another --key for another request.',
    mcp: 'Call again: each call is a request of its own.',
  },
  workspace: {
    http: 'Name an existing folder in context.workspacePath.',
    cli: 'Name an existing folder with --workspace.',
    mcp: 'Name an existing folder in context.workspacePath.',
  },
  filesInside: {
    http: 'Name files inside the workspace, without links that lead out of it.',
    cli: 'Give --file paths inside the workspace, without links that lead out of it.',
    mcp: 'Name in context.files what lies inside the workspace, without links that lead out of it.',
  },
  promptTooLarge: {
    http: 'Put the material into files of the workspace and name them in context.files.',
    cli: 'Put the material into files of the workspace and name them with --file.',
    mcp: 'Put the material into files of the workspace and name them in context.files.',
  },
  promptAsArgument: {
    http: 'Give the runner "promptVia": "stdin" or "file".',
    cli: 'Set `promptVia: stdin` or `file` for that runner in the configuration.',
    mcp: 'Put the material into files of the workspace and name them in context.files.',
  },
  nextPage: {
    http: 'Pass nextCursor of the page before, or leave it out for the first page.',
    cli: 'Give --cursor as the page before has named it, or leave it out for the first page.',
    mcp: 'Give `cursor` the nextCursor of the page before, or leave it out for the first page.',
  },
  stillRunning: {
    http: 'Cancel it first, or wait until it has ended.',
    cli: '`offshoot cancel <id>` ends it, `offshoot wait <id>` waits for its end.',
    mcp: 'Cancel it first (cancel_subagent), or wait until it has ended (wait_subagents).',
  },
  mayBeTaken: {
    http: 'It may have been accepted, and goes on then. Once the server is up again (`offshoot up`): the same request with the same Idempotency-Key finds it, and so does GET /api/subagents.',
    cli: 'It may have been accepted, and goes on then. Start the server with `offshoot up`, and look with `offshoot list` before you run it again.',
    mcp: 'It may have been accepted, and goes on then: look with list_subagents before you run it again. A person can start the server with `offshoot up`.',
  },
} as const satisfies Record<string, Record<Surface, string>>;

/** A hint as it came over HTTP, in the surface's own words where there are any. */
export function hintFor(surface: 'cli' | 'mcp', hint: string | null): string | null {
  const known = Object.values(hints).find(({ http }) => http === hint);
  return known === undefined ? hint : known[surface];
}
