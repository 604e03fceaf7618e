import { setTimeout as sleep } from 'node:timers/promises';
import type { Toolwright } from '@toolwright/core';
import { instructionsFor, UNKNOWN_TOOLS } from '../agent/instructions.ts';
import type { TextCache } from './index-cache.ts';

/** Milliseconds that first answers wait for upstreams to list their tools; a search finds those that come later. */
export const INDEX_WAIT_MS = 300;
/** Milliseconds after which the text is made anew, when clients come one after another. */
const FRESH_MS = 1_000;
/** Milliseconds that upstreams get until what they listed is kept for the next start. */
const SETTLE_MS = 60_000;

/** Gives the instructions of the server: from what is listed, else as they were at the last start, and never late. */
export function indexText(open: () => Promise<Toolwright>, cache?: TextCache): () => Promise<string> {
  let listed: Promise<Toolwright> | undefined;
  let isListed = false;
  let last: { readonly text: Promise<string>; readonly madeMs: number } | undefined;
  let deadline: Promise<void> | undefined;
  let kept: Promise<string | undefined> | undefined;

  const make = async (): Promise<string> => {
    const toolwright = await open();
    return instructionsFor(await toolwright.servers(), await toolwright.tools({ waitMs: 0 }));
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
      // Who needs the Toolwright is told why there is none.
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
        // The answer goes out first: what is loaded now takes all of this thread.
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
