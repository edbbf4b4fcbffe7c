/** HTTP routes, made from the list of operations in a loop: nothing is routed by hand. */
import type { Context, Hono } from 'hono';
import { AppError } from '../contract/errors.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../contract/operations.ts';
import { isFinal, type Status } from '../contract/words.ts';
import { callerOf, wantsNoHooks } from './caller-of.ts';
import type { ApiDeps } from './deps.ts';
import type { ApiEnv } from './gate.ts';
import { problemResponse } from './problem.ts';
import { readInput } from './read-input.ts';

export function addOperationRoutes(app: Hono<ApiEnv>, deps: ApiDeps): void {
  for (const [path, names] of byPath()) {
    for (const name of names) {
      const operation: OperationDeclaration = operations[name];
      const pathNames = namesInPath(path);
      app.on(operation.method, honoPath(path), async (c) => {
        if (operation.idle && wantsNoHooks(c)) {
          return Response.json({ ...operation.idle, internal: true });
        }
        const input = await readInput(c, operation, pathNames).catch(async (error: unknown) => {
          if (path.startsWith('/api/sessions/{key}/')) await requireKnown(deps, c);
          throw error;
        });
        return answer(operation, await deps.run(name, callerOf(c), input as never));
      });
    }
    refuseOtherMethods(
      app,
      path,
      names.map((name) => operations[name].method),
    );
  }
}

/** A session that is not there is not found, whatever else may be wrong with what is asked of it. */
async function requireKnown(deps: ApiDeps, c: Context<ApiEnv>): Promise<void> {
  const asked = operations.getSession.input.safeParse({ key: c.req.param('key') });
  if (!asked.success) return;
  try {
    await deps.run('getSession', callerOf(c), asked.data);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw error;
  }
}

/** A path that exists answers a wrong method with what it does know. */
export function refuseOtherMethods(app: Hono<ApiEnv>, path: string, methods: string[]): void {
  const allow = methods.toSorted().join(', ');
  app.all(honoPath(path), (c: Context) =>
    problemResponse(new AppError('bad_request', `${c.req.method} is not known here.`), {
      status: 405,
      headers: { allow },
    }),
  );
}

/** Fixed paths first, so that `/wait` is not taken for an id. */
function byPath(): [string, OperationName[]][] {
  const paths = new Map<string, OperationName[]>();
  for (const name of Object.keys(operations) as OperationName[]) {
    const path = operations[name].path;
    paths.set(path, [...(paths.get(path) ?? []), name]);
  }
  return [...paths].toSorted(([a], [b]) => namesInPath(a).length - namesInPath(b).length);
}

export function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** 202 and where to ask, as long as what was accepted has not ended. */
function answer(operation: OperationDeclaration, output: unknown): Response {
  const record = output as { id: string; status: Status };
  if (!operation.accepted || isFinal(record.status)) return Response.json(output);
  const location = `/api/subagents/${encodeURIComponent(record.id)}`;
  return Response.json(output, { status: operation.accepted, headers: { location } });
}
