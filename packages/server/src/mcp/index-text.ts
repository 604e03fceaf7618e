import { setTimeout as sleep } from 'node:timers/promises';
import type { Toolwright } from '@toolwright/core';
import { instructionsFor, UNKNOWN_TOOLS } from '../agent/instructions.ts';
import type { TextCache } from './index-cache.ts';
import { redactedText } from './redaction.ts';

/** Milliseconds that first answers wait for servers to list their tools. A search finds the tools of slower servers. */
export const INDEX_WAIT_MS = 300;
/** Milliseconds for which all clients receive the same text. */
const FRESH_MS = 1_000;
/** Milliseconds within which servers must list their tools, so that the cache keeps the index. */
const SETTLE_MS = 60_000;

/**
 * Returns a function that returns the instructions of the server: with the listed tools, else with the tools of the last
 * start. It never waits longer than {@link INDEX_WAIT_MS} for servers.
 */
export function indexText(open: () => Promise<Toolwright>, cache?: TextCache): () => Promise<string> {
  let listed: Promise<Toolwright> | undefined;
  let isListed = false;
  let last: { readonly text: Promise<string>; readonly madeMs: number } | undefined;
  let deadline: Promise<void> | undefined;
  let kept: Promise<string | undefined> | undefined;

  const make = async (): Promise<string> => {
    const toolwright = await open();
    const text = async () => instructionsFor(await toolwright.servers(), await toolwright.tools({ waitMs: 0 }));
    return redactedText(text, toolwright.pii);
  };
  const list = async (): Promise<Toolwright> => {
    const toolwright = await open();
    await toolwright.servers({ load: true, waitMs: SETTLE_MS });
    isListed = true;
    const servers = await toolwright.servers();
    if (servers.every(({ status }) => status.state === 'ready')) await cache?.write(await make());
    return toolwright;
  };
  const start = () => {
    listed ??= list().catch((error: unknown) => {
      // The next call tries again. Tool calls report the error to their client.
      listed = undefined;
      throw error;
    });
    return listed;
  };

  return async () => {
    if (!isListed) {
      kept ??= cache?.read() ?? Promise.resolve(undefined);
      const text = await kept;
      if (text !== undefined) {
        // Loading blocks the event loop, so the response must be sent first.
        setImmediate(() => setImmediate(() => start().catch(() => undefined)));
        return text;
      }
      deadline ??= sleep(INDEX_WAIT_MS, undefined, { ref: false });
      const isOpen = await Promise.race([
        start().then(
          () => true,
          () => false,
        ),
        deadline.then(() => false),
      ]);
      if (!isOpen) return Promise.race([make().catch(() => UNKNOWN_TOOLS), sleep(0, UNKNOWN_TOOLS)]);
    }
    if (!last || performance.now() - last.madeMs > FRESH_MS) last = { text: make(), madeMs: performance.now() };
    return last.text;
  };
}
