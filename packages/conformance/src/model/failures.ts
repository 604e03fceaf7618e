import { deepEqual, equal, fail, ok } from 'node:assert/strict';
import type { ToolwrightError } from '@toolwright/core';
import type { Model, ModelRequest } from '@toolwright/server';
import { type ModelCase, request } from './case.ts';

/** Milliseconds within which an aborted request must end. */
const ABORT_MS = 3_000;
const TEXT = 'Tea is placed.';

/** Rules of failed and aborted requests. */
export const FAILURE_CASES: readonly ModelCase[] = [
  ...[429, 500, 503].map((status) => failure(`HTTP ${status} raises MODEL_UNAVAILABLE`, status, 'MODEL_UNAVAILABLE')),
  ...[401, 403].map((status) => failure(`HTTP ${status} raises ACCESS_DENIED`, status, 'ACCESS_DENIED')),
  failure('HTTP 400 raises MODEL_FAILED', 400, 'MODEL_FAILED'),
  {
    name: 'Retry-After is in details.retryAfterMs',
    replies: [{ kind: 'error', status: 429, retryAfterSeconds: 7 }],
    async run(model) {
      equal((await failureOf(model)).details.retryAfterMs, 7_000);
    },
  },
  {
    name: 'a failed request is not retried',
    replies: [
      { kind: 'error', status: 500 },
      { kind: 'text', text: TEXT },
    ],
    async run(model) {
      await failureOf(model);
      equal((await model.answer(request())).message.text, TEXT);
    },
  },
  {
    name: 'a cut stream raises MODEL_UNAVAILABLE',
    replies: [{ kind: 'cut' }],
    async run(model) {
      equal((await failureOf(model)).code, 'MODEL_UNAVAILABLE');
    },
  },
  {
    name: 'a request that is aborted before it starts raises the reason of the signal',
    replies: [{ kind: 'text', text: TEXT }],
    async run(model) {
      const reason = new Error('cancelled by the test');
      await rejectsWith(model, { signal: AbortSignal.abort(reason) }, reason);
    },
  },
  {
    name: 'a request that is aborted while it waits raises the reason of the signal',
    replies: [{ kind: 'silence' }],
    async run(model) {
      const reason = new Error('cancelled by the test');
      const stopping = new AbortController();
      setTimeout(() => stopping.abort(reason), 100);
      const start = performance.now();
      await rejectsWith(model, { signal: stopping.signal }, reason);
      const took = performance.now() - start;
      ok(took < ABORT_MS, `the request ended after ${Math.round(took)} ms, the limit is ${ABORT_MS} ms`);
    },
  },
];

function failure(name: string, status: number, code: string): ModelCase {
  return {
    name,
    replies: [{ kind: 'error', status }],
    async run(model) {
      equal((await failureOf(model)).code, code);
    },
  };
}

/** Returns the ToolwrightError of a request that must fail. */
async function failureOf(model: Model): Promise<ToolwrightError> {
  const error = await model.answer(request()).then(
    () => fail('the request did not fail'),
    (reason: unknown) => reason,
  );
  // A mark instead of instanceof: a model may load its own copy of the package.
  deepEqual([error instanceof Error, typeof (error as ToolwrightError).code], [true, 'string']);
  return error as ToolwrightError;
}

async function rejectsWith(model: Model, overrides: Partial<ModelRequest>, reason: Error): Promise<void> {
  const error = await model.answer(request(overrides)).then(
    () => fail('the request did not fail'),
    (thrown: unknown) => thrown,
  );
  equal(error, reason);
}
