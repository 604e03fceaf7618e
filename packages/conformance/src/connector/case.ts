import assert from 'node:assert/strict';
import type { Connector } from '@toolwright/core';
import { ToolwrightError } from '@toolwright/core';

/** The arguments of a case. */
export interface ConnectorRun {
  /** A new connector, which was not used before. */
  readonly connector: Connector;
}

/** One rule that every connector must keep. */
export interface ConnectorCase {
  /** The rule, as a sentence about the connector: "lists its tools". */
  readonly name: string;
  /** Rejects with an `AssertionError` when the connector breaks the rule. */
  run(run: ConnectorRun): Promise<void>;
}

/** Returns the error of a call, which must be a `ToolwrightError` with one of these codes. */
export async function failureOf(work: Promise<unknown>, ...codes: string[]): Promise<ToolwrightError> {
  const error: unknown = await work.then(
    (value) => assert.fail(`The call returned ${JSON.stringify(value)?.slice(0, 100)}, and had to fail.`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof assert.AssertionError) throw error;
  assert.ok(error instanceof ToolwrightError, `The error must be a ToolwrightError, and is: ${String(error)}`);
  assert.ok(codes.includes(error.code), `The code must be ${codes.join(' or ')}, and is ${error.code}.`);
  return error;
}
