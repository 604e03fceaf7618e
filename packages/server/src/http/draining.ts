import type { MiddlewareHandler } from 'hono';
import type { Admission } from '../admission.ts';
import type { HttpEnv } from './api.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';

/** What goes on while the server ends, beside reading. */
const GOES_ON = /\/cancel$/;

/** Refuses new work while the server is about to stop. */
export function refuseWhileDraining(admission: Admission): MiddlewareHandler<HttpEnv> {
  return async ({ req }, next) => {
    const isNew = req.method !== 'GET' && req.method !== 'HEAD' && !GOES_ON.test(req.path);
    if (admission.isDraining && isNew) {
      const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}`, connection: 'close' };
      throw new HttpProblem(503, 'CLOSED', 'The server is about to stop and takes no new work. Try again.', {
        headers,
      });
    }
    await next();
  };
}
