import type { MiddlewareHandler } from 'hono';
import type { Admission } from '../../rate-limit/admission.ts';
import type { HttpEnv } from '../api.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';

/** Paths of the POST requests that are allowed while the server shuts down. */
const ALLOWED_WHILE_DRAINING = /\/cancel$/;

/** Refuses new work while the server shuts down. */
export function refuseWhileDraining(admission: Admission): MiddlewareHandler<HttpEnv> {
  return async ({ req }, next) => {
    const isNew = req.method !== 'GET' && req.method !== 'HEAD' && !ALLOWED_WHILE_DRAINING.test(req.path);
    if (admission.isDraining && isNew) {
      const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}`, connection: 'close' };
      throw new HttpProblem(503, 'CLOSED', 'The server is shutting down and accepts no new work. Try again later.', {
        headers,
      });
    }
    await next();
  };
}
