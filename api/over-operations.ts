/** What the API needs to answer for the operations: the server's wiring, and that of whoever tries it without a process. */
import {
  handlers,
  hostHandlers,
  isHostWelcome,
  watchSession,
  watchSubagent,
  type Deps,
} from '../operations/index.ts';
import type { ApiDeps } from './deps.ts';

export function overOperations(deps: Deps): Omit<ApiDeps, 'allowedHosts' | 'metrics' | 'log'> {
  return {
    run: (name, caller, input) => handlers[name](deps, caller, input),
    watch: (caller, request) => watchSubagent(deps, caller, request),
    watchSession: (caller, request) => watchSession(deps, caller, request),
    host: {
      hello: (_, request) => hostHandlers.hello(deps, request),
      sync: (caller, request) => hostHandlers.sync(deps, caller.gone, request),
      claim: (_, request) => hostHandlers.claim(deps, request),
      report: (_, request) => hostHandlers.report(deps, request),
    },
    isHostWelcome: (claims) => isHostWelcome(deps, claims),
    secret: deps.secret,
    version: deps.version,
  };
}
