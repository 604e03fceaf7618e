import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@toolwright/connectors/internal';
import type { Toolwright } from '@toolwright/core';
import { type CountTokens, loadTokenizer } from '@toolwright/core/internal';
import * as z from 'zod';
import {
  allNames,
  inBrief,
  RESOURCES,
  type ServersInBrief,
  serversInBrief,
  serversLine,
  serversText,
  UNKNOWN_TOOLS,
} from '../../agent/prompts/instructions.ts';
import { DEFINITIONS, type ToolName, type ToolProfile } from '../tools/definitions.ts';
import type { TextCache } from './cache.ts';
import { callLine } from './call-line.ts';
import type { RecentTools } from './recent-tools.ts';

/**
 * Maximum tokens (o200k_base) of the listed definitions together with the instructions, for any servers. Where the instructions list the
 * names of all tools, these count apart.
 */
export const PROFILE_TOKENS: Readonly<Record<ToolProfile, number>> = { full: 550, core: 250 };

/** Maximum tokens of the line of servers: each conversation pays it, and a search finds the tools of all servers. */
const SERVERS_LINE_TOKENS = 25;
const CALLS = 'Used lately:';

interface InstructionsOptions {
  readonly open: () => Promise<Toolwright>;
  readonly profile: ToolProfile;
  /** The tools that the server lists. */
  readonly listed: readonly ToolName[];
  /** Tools whose calls come first. */
  readonly pinned: readonly string[];
  readonly recent: RecentTools;
  readonly cache?: TextCache | undefined;
}

/** Maximum tokens of the line: the model reads it with every request. */
const MAX_TOKENS = 25;

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
type KnownServers =
  | StoredServers
  | { readonly servers: string; readonly pinned: readonly string[]; readonly hasResources: boolean };

const UNKNOWN: KnownServers = { servers: UNKNOWN_TOOLS, pinned: [], hasResources: false };

/** Returns a function that returns the instructions for a user: the servers, and the calls of pinned and recent tools. */
export function instructionsOf(options: InstructionsOptions): (user: string) => Promise<string> {
  const { open, profile, listed, pinned, recent, cache } = options;
  const known = knownServers(open, pinned, cache);
  return async (user) => {
    const [{ servers, pinned: first, hasResources }, later, countTokens] = await Promise.all([
      known(),
      recent.of(user),
      loadTokenizer(),
    ]);
    const definitions = listed.reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);
    const calls = [...new Set([...first, ...later.map(({ call }) => call)])];
    const maxTokens = PROFILE_TOKENS[profile] - definitions;
    const packages = packagesLine(await open(), countTokens);
    return instructionsText(servers, calls, { maxTokens, countTokens, hasResources, packages });
  };
}

/** Returns the text of a definition in the form in which clients send it to a model. */
export function shownDefinition(name: ToolName): string {
  const { description, inputSchema } = DEFINITIONS[name];
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

interface TextOptions {
  readonly maxTokens: number;
  readonly countTokens: CountTokens;
  /** Whether servers have resources. */
  readonly hasResources?: boolean;
  /** The line about packages. */
  readonly packages?: string | undefined;
}

/**
 * Returns instructions with the numbers of servers and tools, lines about packages and resources, and the calls that fit into `maxTokens`, in
 * their order. If the names of all tools are few, they are listed even beyond the limit, since they save a search. Else names of servers fill the rest.
 */
export function instructionsText(
  servers: ServersInBrief | string,
  calls: readonly string[],
  { maxTokens, countTokens, hasResources = false, packages }: TextOptions,
): string {
  const isText = typeof servers === 'string';
  let about: readonly string[] = [];
  const text = (names: number, shown: readonly string[]) =>
    [
      isText ? servers : serversText(servers, countTokens, names),
      ...about,
      ...(shown.length > 0 ? [CALLS, ...shown] : []),
    ].join('\n');
  const fits = (names: number, shown: readonly string[]) => countTokens(text(names, shown)) <= maxTokens;
  const hasNames = !isText && allNames(servers, countTokens) !== undefined;
  if (!hasNames && !fits(0, [])) return '';
  for (const line of [packages, hasResources ? RESOURCES : undefined]) {
    if (line === undefined) continue;
    const before = about;
    about = [...about, line];
    if (!fits(0, [])) about = before;
  }
  const shown: string[] = [];
  for (const call of calls) if (fits(0, [...shown, call])) shown.push(call);
  const all = isText || hasNames ? 0 : servers.first.length;
  const isShort = (count: number) => isText || countTokens(serversLine(servers, count)) <= SERVERS_LINE_TOKENS;
  let names = 0;
  while (names < all && isShort(names + 1) && fits(names + 1, shown)) names++;
  return text(names, shown);
}

/** Returns the line that names the packages of programs, as far as they fit; undefined without packages. */
export function packagesLine({ packages }: Toolwright, countTokens: CountTokens): string | undefined {
  const all = (['python', 'typescript'] as const).map((language) =>
    packages.installed(language).map(({ name }) => name),
  );
  const text = (count: number) => {
    const [python, typescript] = all.map((names) => {
      const shown = names.slice(0, count);
      return names.length === 0 ? '' : `${shown.join(', ')}${shown.length < names.length ? ' …' : ''}`;
    });
    const parts = [python && `Python: ${python}`, typescript && `TypeScript: ${typescript}`];
    return `Packages. ${parts.filter(Boolean).join('; ')}`;
  };
  const longest = Math.max(...all.map((names) => names.length));
  for (let count = longest; count > 0; count--) if (countTokens(text(count)) <= MAX_TOKENS) return text(count);
  return undefined;
}

/**
 * Returns a function that returns the servers: with the listed tools, else with the tools of the last start. It never waits
 * longer than {@link INDEX_WAIT_MS} for servers.
 */
function knownServers(
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
