/** GET /metrics: numbers for Prometheus. They say how much there is, and nothing of what anybody asked. */
import type { Hono } from 'hono';
import { AppError } from '../contract/errors.ts';
import type { ApiDeps } from './deps.ts';
import { checkToken, type ApiEnv } from './gate.ts';
import { refuseOtherMethods } from './operation-routes.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export function addMetricsRoute(app: Hono<ApiEnv>, deps: ApiDeps): void {
  app.use('/metrics', checkToken(deps, ['admin']));
  app.get('/metrics', (c) => {
    const text = deps.metrics();
    if (text === null) {
      throw new AppError('not_found', 'Metrics are turned off.', {
        hint: 'Set metrics.enabled to true in the configuration.',
      });
    }
    return c.body(text, 200, { 'content-type': contentType });
  });
  refuseOtherMethods(app, '/metrics', ['GET']);
}
