/** The store API for runner hosts. A host's token speaks for that host and no other. */
import type { Hono } from 'hono';
import type { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import {
  claimRequestSchema,
  helloRequestSchema,
  reportRequestSchema,
  storeApiPaths,
  syncRequestSchema,
} from '../contract/store-api.ts';
import type { Caller } from '../operations/caller.ts';
import { callerOf } from './caller-of.ts';
import type { ApiDeps } from './deps.ts';
import type { ApiEnv } from './gate.ts';
import { refuseOtherMethods } from './operation-routes.ts';
import { parseInput, readJsonObject } from './read-input.ts';

export function addStoreRoutes(app: Hono<ApiEnv>, deps: ApiDeps): void {
  addRoute(app, storeApiPaths.hello, helloRequestSchema, deps.host.hello);
  addRoute(app, storeApiPaths.sync, syncRequestSchema, deps.host.sync);
  addRoute(app, storeApiPaths.claim, claimRequestSchema, deps.host.claim);
  addRoute(app, storeApiPaths.report, reportRequestSchema, deps.host.report);
}

function addRoute<S extends z.ZodType<{ hostId: string }>>(
  app: Hono<ApiEnv>,
  path: string,
  schema: S,
  handle: (caller: Caller, request: z.output<S>) => Promise<object>,
): void {
  app.post(path, async (c) => {
    const caller = callerOf(c);
    const request = parseInput(schema, await readJsonObject(c));
    if (caller.claims.role !== 'host' || caller.claims.hostId !== request.hostId) {
      throw new AppError('forbidden', `This token does not speak for host ${request.hostId}.`);
    }
    return Response.json(await handle(caller, request));
  });
  refuseOtherMethods(app, path, ['POST']);
}
