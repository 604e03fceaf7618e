import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from '@toolwright/core';
import { brokenRule } from './broken-rule.ts';
import { CALL_CASES } from './connector/calls.ts';
import type { ConnectorCase } from './connector/case.ts';
import { CONTEXT_CASES } from './connector/context.ts';
import { FAILURE_CASES } from './connector/failures.ts';
import { LIFETIME_CASES } from './connector/lifetime.ts';
import { LISTING_CASES } from './connector/listing.ts';

export type { ConnectorCase, ConnectorRun } from './connector/case.ts';
export { CONFORMANCE_CONTEXT } from './connector/context.ts';
export { CONFORMANCE_TOOLS, type ConformanceTools } from './connector/tools.ts';

/** The rules that every connector must keep, in the order in which they run. */
export const connectorCases: readonly ConnectorCase[] = [
  ...LISTING_CASES,
  ...CALL_CASES,
  ...FAILURE_CASES,
  ...CONTEXT_CASES,
  ...LIFETIME_CASES,
];

/** Milliseconds after which a case fails: a promise of the connector did not settle. */
const CASE_TIMEOUT_MS = 60_000;

/**
 * Runs one case on a new connector, which `open` returns and the case closes. The connector must offer the tools that
 * {@link CONFORMANCE_TOOLS} describes, and with a `context` also {@link CONFORMANCE_CONTEXT}. Rejects with an `AssertionError` that names the rule when the connector breaks it.
 */
export async function runConnectorCase(
  open: () => Connector | Promise<Connector>,
  testCase: ConnectorCase,
): Promise<void> {
  const connector = await open();
  const timeout = new AbortController();
  try {
    await Promise.race([testCase.run({ connector }), failAfter(CASE_TIMEOUT_MS, timeout.signal)]);
  } catch (error) {
    throw brokenRule('connector', testCase.name, error);
  } finally {
    timeout.abort();
    await close(connector);
  }
}

/** A broken connector may fail to close. The broken rule is the error to report. */
async function close(connector: Connector): Promise<void> {
  try {
    await connector[Symbol.asyncDispose]();
  } catch {
    // The case has reported a broken rule, or the next one does.
  }
}

async function failAfter(timeoutMs: number, signal: AbortSignal): Promise<never> {
  await sleep(timeoutMs, undefined, { signal });
  throw new Error(`The case did not end within ${timeoutMs} ms.`);
}
