/** The HTTP surface: gate, routes, documents, and one shape for everything that goes wrong. */
import { Hono } from 'hono';
import { AppError } from '../contract/errors.ts';
import { scopedRoles } from '../contract/words.ts';
import type { ApiDeps } from './deps.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { addEventRoute } from './event-route.ts';
import { checkHost, checkToken, type ApiEnv } from './gate.ts';
import { addMetricsRoute } from './metrics-route.ts';
import { addOperationRoutes, refuseOtherMethods } from './operation-routes.ts';
import { openApiDocument } from './openapi.ts';
import { asAppError, problemResponse } from './problem.ts';
import { addStoreRoutes } from './store-routes.ts';

export function createApp(deps: ApiDeps): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError((error, c) => {
    const log = (cause: unknown) =>
      deps.log.error('a request failed', { method: c.req.method, path: c.req.path, error: cause });
    return problemResponse(asAppError(error, log));
  });
  app.notFound((c) =>
    problemResponse(
      new AppError('not_found', `Nothing is at ${c.req.path}.`, {
        hint: 'What there is stands at /api/docs.',
      }),
    ),
  );
  app.use(checkHost(deps));
  addDocuments(app, deps.version);
  app.use('/api/*', checkToken(deps, ['admin', 'child', ...scopedRoles]));
  app.use('/store/*', checkToken(deps, ['host']));
  addOperationRoutes(app, deps);
  addEventRoute(app, deps);
  addStoreRoutes(app, deps);
  addMetricsRoute(app, deps);
  return app;
}

/**
 * Before the token: both say what can be asked, and nothing about what was. Made when somebody asks: it takes a tenth of
 * what the server takes to start.
 */
function addDocuments(app: Hono<ApiEnv>, version: string): void {
  const document = once(() => openApiDocument(version));
  const page = once(() => docsPage(document()));
  app.get('/api/openapi.json', (c) => c.json(document()));
  app.get('/api/docs', (c) => c.html(page(), 200, { 'content-security-policy': docsPolicy }));
  refuseOtherMethods(app, '/api/openapi.json', ['GET']);
  refuseOtherMethods(app, '/api/docs', ['GET']);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
