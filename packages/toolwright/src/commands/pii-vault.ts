import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';

export interface PiiVaultArguments {
  /** `rotate`, or `forget` and a value. */
  readonly words: readonly string[];
  readonly session?: string;
  readonly json: boolean;
}

/** What is done with the values that are kept: their keys are wrapped anew, or one value is forgotten. */
export async function piiVault(
  toolwright: Toolwright,
  { words, session, json }: PiiVaultArguments,
  { out }: Output,
): Promise<number> {
  const [action, value, ...more] = words;
  if (action === 'rotate') {
    if (value !== undefined) throw new UsageError('"pii rotate" takes no argument.');
    const rotation = await toolwright.pii.rotate();
    const { rewrapped, current } = rotation;
    out(json ? JSON.stringify(rotation) : `${rewrapped} vaults are wrapped with the new key, ${current} were already.`);
    return EXIT.completed;
  }
  if (value === undefined || more.length > 0 || session === undefined) {
    throw new UsageError('"pii forget" takes one value, or its placeholder, and --session ID.');
  }
  const forgotten = await toolwright.pii.forget(value, { sessionId: session });
  out(json ? JSON.stringify({ forgotten }) : `${forgotten} placeholders no longer resolve.`);
  return EXIT.completed;
}
