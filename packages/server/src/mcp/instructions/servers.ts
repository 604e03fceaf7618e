import { setTimeout as sleep } from 'node:timers/promises';
import type { Toolwright } from '@toolwright/core';
import { parseJson } from '@toolwright/core/internal';
import * as z from 'zod';
import { inBrief, serversInBrief, UNKNOWN_TOOLS } from '../../agent/prompts/instructions.ts';
import type { TextCache } from './cache.ts';
import { callLine } from './call-line.ts';

/**
 * Milliseconds that the first answers of all wait for servers to list their tools: later starts have stored ones. A search finds the tools of
 * slower servers.
 */
const INDEX_WAIT_MS = 2_000;
/** Milliseconds for which all clients receive the same servers. */
const FRESH_MS = 1_000;
/** Milliseconds within which servers must list their tools, so that the cache keeps their names. */
const SETTLE_MS = 60_000;
/** Milliseconds within which servers must list their resources, so that the first instructions name them. */
const RESOURCES_WAIT_MS = 5_000;

const schema = z.strictObject({
  servers: serversInBrief,
  pinned: z.array(z.string()),
  hasResources: z.boolean(),
});

type StoredServers = z.infer<typeof schema>;

/**
 * The servers in brief, the calls of the pinned tools, and whether servers have resources. Before the servers have listed their tools, a
 * text instead.
 */
export type KnownServers =
  | StoredServers
  | { readonly servers: string; readonly pinned: readonly string[]; readonly hasResources: boolean };

const UNKNOWN: KnownServers = { servers: UNKNOWN_TOOLS, pinned: [], hasResources: false };

/**
 * Returns a function that returns the servers: with the listed tools, else with the tools of the last start. It never waits
 * longer than {@link INDEX_WAIT_MS} for servers.
 */
export function knownServers(
  open: () => Promise<Toolwright>,
  pinned: readonly string[],
  cache?: TextCache,
): () => Promise<KnownServers> {
  let listed: Promise<Toolwright> | undefined;
  let isListed = false;
  let hasResources = false;
  let last: { readonly known: Promise<KnownServers>; readonly madeMs: number } | undefined;
  let deadline: Promise<void> | undefined;
  let kept: Promise<StoredServers | undefined> | undefined;

  const make = async (): Promise<KnownServers> => {
    const toolwright = await open();
    const [servers, tools] = [await toolwright.servers(), await toolwright.tools({ waitMs: 0 })];
    const found = pinned.filter((name) => tools.some(({ id }) => id === name));
    const calls = await Promise.all(found.map((name) => callLine(toolwright, name)));
    const before = (await kept)?.servers;
    const brief = { servers: inBrief(servers, tools, before), pinned: calls, hasResources };
    return toolwright.pii.redact(brief, {});
  };
  /** Notes whether servers have resources, now and after each change. */
  const followResources = async ({ context }: Toolwright) => {
    const look = async () => {
      hasResources = await context.hasResources().catch(() => false);
    };
    context.onChanged((list) => list === 'resources' && void look());
    await Promise.race([look(), sleep(RESOURCES_WAIT_MS, undefined, { ref: false })]);
  };
  const list = async (): Promise<Toolwright> => {
    const toolwright = await open();
    await toolwright.servers({ load: true, waitMs: SETTLE_MS });
    await followResources(toolwright);
    isListed = true;
    await cache?.write(JSON.stringify(await make()));
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
      kept ??= (cache?.read() ?? Promise.resolve(undefined)).then((text) => read(text ?? ''));
      const known = await kept;
      if (known !== undefined) {
        // Loading blocks the event loop, so the response must be sent first.
        setImmediate(() => setImmediate(() => start().catch(() => undefined)));
        return known;
      }
      deadline ??= sleep(INDEX_WAIT_MS, undefined, { ref: false });
      const isOpen = await Promise.race([
        start().then(
          () => true,
          () => false,
        ),
        deadline.then(() => false),
      ]);
      if (!isOpen) return Promise.race([make().catch(() => UNKNOWN), sleep(0, UNKNOWN)]);
    }
    if (!last || performance.now() - last.madeMs > FRESH_MS) last = { known: make(), madeMs: performance.now() };
    return last.known;
  };
}

function read(text: string): StoredServers | undefined {
  return schema.safeParse(parseJson(text)).data;
}
