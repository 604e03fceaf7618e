import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';

export interface PiiVaultArguments {
  /** `rotate`, or `forget` and a value. */
  readonly words: readonly string[];
  readonly session?: string;
  readonly json: boolean;
}

/** Runs `toolwright pii rotate` and `forget`, and returns the exit code. */
export async function piiVault(
  toolwright: Toolwright,
  { words, session, json }: PiiVaultArguments,
  { out }: Output,
): Promise<number> {
  const [action, value, ...more] = words;
  if (action === 'rotate') {
    if (value !== undefined) throw new UsageError('"pii rotate" accepts no argument.');
    const rotation = await toolwright.pii.rotate();
    const { rewrapped, current } = rotation;
    out(
      json
        ? JSON.stringify(rotation)
        : `Encrypted ${rewrapped} vaults with the current key; ${current} used it already.`,
    );
    return EXIT.completed;
  }
  if (value === undefined || more.length > 0 || session === undefined) {
    throw new UsageError('"pii forget" requires one value or placeholder, and --session ID.');
  }
  const forgotten = await toolwright.pii.forget(value, { sessionId: session });
  out(json ? JSON.stringify({ forgotten }) : `${forgotten} placeholders no longer resolve.`);
  return EXIT.completed;
}
