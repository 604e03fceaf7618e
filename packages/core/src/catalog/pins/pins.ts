import type { Connector, ToolDefinition } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { inSlices, type SealingKey, type Steps } from '@toolwright/pii/internal';
import type { Store } from '@toolwright/storage';
import { ToolwrightError } from '../../errors.ts';
import { type ListedTool, type Listing, listedTool } from './listing.ts';
import type { PinMode, PinSource, ServerRecord, StoredPin, ToolPin } from './pin.ts';
import { openPinRecords, type PinRecords } from './records.ts';
import { createReviews } from './reviews.ts';

/** A tool that programs may call. */
export interface CallableTool {
  readonly definition: ToolDefinition;
  /** Nobody has accepted this definition of this server, or its pin is not known. */
  readonly isQuarantined: boolean;
}

/** Compares the tools of all servers with the accepted ones, and keeps the others in quarantine. */
export interface Pins {
  /** Reviews the tools of a server. Returns those that programs may call. Raises `STORE_UNAVAILABLE` with `block`. */
  listed(connector: Connector, definitions: readonly ToolDefinition[]): Promise<readonly CallableTool[]>;
  /** Forgets the listing of a server, not its pins. */
  removed(server: string): void;
  /**
   * Reviews tools again after listings of other servers, and after approvals of other processes: at most once a second, unless
   * `now` is set. Returns the callable tools of the servers for which they differ.
   */
  recheck(now?: boolean): Promise<ReadonlyMap<string, readonly CallableTool[]>>;
  /** Returns the tool with this id if it is hidden. */
  hidden(id: string): ToolPin | undefined;
  /** Returns all listed tools, ordered by id. */
  all(): readonly ToolPin[];
  /** Accepts tools as they are listed now. The next check shows it. Raises `UNKNOWN_TOOL`. */
  approve(ids: readonly string[]): Promise<void>;
}

/** Where and how definitions are pinned. */
export interface PinSettings {
  readonly mode: Exclude<PinMode, 'off'>;
  readonly store: Store;
  /** Returns the key that seals names and definitions in the store. */
  readonly key: () => SealingKey;
}

/** The settings of the pins of a catalog. */
export interface PinsOptions extends PinSettings {
  readonly idOf: (server: string, name: string) => string;
  /** Position of a server in the configuration. */
  readonly orderOf: (server: string) => number;
  readonly log?: { warn(details: object, message: string): void } | undefined;
}

/** Milliseconds before the store is read again for approvals of other processes. */
const RECHECK_MS = 1_000;
const MAX_NAMED = 20;

/** Opens the pins that are stored. */
export function openPins(options: PinsOptions): Pins {
  const { mode, store, key, idOf, orderOf, log } = options;
  const records = openPinRecords(store, key, log);
  const recordOf = createBaseline(records, mode, log);
  const reviews = createReviews(idOf);
  const results = new Map<string, ReadonlyMap<string, ToolPin>>();
  let isStale = false;
  let readAtMs = 0;
  let checking: Promise<unknown> = Promise.resolve();

  async function review(listing: Listing): Promise<void> {
    const pins = await inSlices(reviews.of(listing));
    if (reviews.listings.get(listing.server) !== listing) return;
    report(pins, results.get(listing.server), options);
    results.set(listing.server, pins);
  }

  function callable(server: string): readonly CallableTool[] {
    const all = callableTools(reviews.listings.get(server), results.get(server));
    return mode === 'warn' ? all : all.filter(({ isQuarantined }) => !isQuarantined);
  }

  async function readApprovals(): Promise<Listing[]> {
    readAtMs = Date.now();
    const held = [...reviews.listings.values()].filter(
      ({ server, isTrusted, record }) => hasHeld(results.get(server)) || (!isTrusted && record === undefined),
    );
    for (const listing of held) {
      listing.record = (await records.read(listing.server).catch(() => undefined)) ?? listing.record;
    }
    return held;
  }

  async function check(now: boolean): Promise<ReadonlyMap<string, readonly CallableTool[]>> {
    const changed = new Map<string, readonly CallableTool[]>();
    const others = isStale ? reviews.listings.values() : [];
    isStale = false;
    const isDue = now || Date.now() - readAtMs >= RECHECK_MS;
    for (const listing of new Set([...others, ...(isDue ? await readApprovals() : [])])) {
      const before = stateOf(callable(listing.server));
      await review(listing);
      const after = callable(listing.server);
      if (before !== stateOf(after)) changed.set(listing.server, after);
    }
    return changed;
  }

  const all = () => [...results.values()].flatMap((pins) => [...pins.values()]).sort(byId);

  return {
    all,
    async listed({ name: server, isTrusted = false, serverKey }, definitions) {
      const tools = await inSlices(prepare({ server, serverKey }, definitions));
      const record = await recordOf(server, isTrusted ? undefined : tools);
      const names = new Set(definitions.map(({ name }) => name));
      const listing = { server, isTrusted, order: orderOf(server), tools, names, record };
      reviews.set(listing);
      await review(listing);
      isStale = true;
      return callable(server);
    },
    removed(server) {
      reviews.remove(server);
      results.delete(server);
      isStale = true;
    },
    recheck(now = false) {
      const result = checking.then(() => check(now));
      checking = result.catch(() => undefined);
      return result;
    },
    hidden: (id) => (mode === 'warn' ? undefined : heldPin(results.values(), id)),
    async approve(ids) {
      await acceptTools(ids, all(), { listings: reviews.listings, records });
      isStale = true;
    },
  };
}

/** Creates the function that returns the pins of a server. It pins the tools of a first listing, if it receives them. */
function createBaseline(
  records: PinRecords,
  mode: PinMode,
  log: PinsOptions['log'],
): (server: string, tools: readonly ListedTool[] | undefined) => Promise<ServerRecord | undefined> {
  const sinceMs = Date.now();
  /** Pins that do not know their server belong to the one that lists its tools now: an earlier version wrote them. */
  async function withServerKey(server: string, stored: ServerRecord, serverKey: string | undefined) {
    const old = [...stored.tools].filter(([, pin]) => pin.serverKey === undefined);
    if (serverKey === undefined || old.length === 0) return stored;
    return records.accept(server, new Map(old.map(([name, pin]) => [name, { ...pin, serverKey }])));
  }
  return async (server, tools) => {
    try {
      const stored = await records.read(server);
      if (!tools) return stored;
      if (stored) return await withServerKey(server, stored, tools[0]?.pin.serverKey);
      const pins = tools.map(({ definition, pin }): [string, StoredPin] => [definition.name, pin]);
      return await records.first(server, { sinceMs, tools: new Map(pins) });
    } catch (error) {
      if (mode === 'block') throw error;
      log?.warn({ server, err: error }, 'the pins of a server could not be read; its tools are not compared with them');
      return undefined;
    }
  };
}

function callableTools(listing: Listing | undefined, pins: ReadonlyMap<string, ToolPin> | undefined): CallableTool[] {
  const { tools = [], isTrusted = false, record } = listing ?? {};
  // Without its pins, nothing is known to be accepted.
  const isCompared = isTrusted || record !== undefined;
  return tools.map(({ definition }) => {
    const isAccepted = isCompared && pins?.get(definition.name)?.state === 'accepted';
    return { definition, isQuarantined: !isAccepted };
  });
}

function* prepare(source: PinSource, definitions: readonly ToolDefinition[]): Steps<ListedTool[]> {
  const tools: ListedTool[] = [];
  for (const definition of definitions) {
    yield;
    tools.push(listedTool(source, definition));
  }
  return tools;
}

function unknownPin(id: string, pins: readonly ToolPin[]): never {
  const held = pins.filter(isHeld).map((pin) => pin.id);
  const shown = held.slice(0, MAX_NAMED).join(', ') || 'none';
  const message = `Unknown tool "${shorten(id, 40)}". The tools in quarantine are: ${shown}.`;
  throw new ToolwrightError('UNKNOWN_TOOL', message, { details: { suggestions: held.slice(0, MAX_NAMED) } });
}

function stateOf(callable: readonly CallableTool[]): string {
  return JSON.stringify(callable.map(({ definition, isQuarantined }) => [definition.name, isQuarantined]));
}

function hasHeld(pins: ReadonlyMap<string, ToolPin> | undefined): boolean {
  return [...(pins?.values() ?? [])].some(isHeld);
}

function heldPin(results: Iterable<ReadonlyMap<string, ToolPin>>, id: string): ToolPin | undefined {
  for (const pins of results) {
    for (const pin of pins.values()) if (pin.id === id && isHeld(pin)) return pin;
  }
  return undefined;
}

function isHeld({ state }: ToolPin): boolean {
  return state === 'quarantined';
}

function byId(a: ToolPin, b: ToolPin): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Logs the tools that are in quarantine since this review. */
function report(
  pins: ReadonlyMap<string, ToolPin>,
  before: ReadonlyMap<string, ToolPin> | undefined,
  { mode, log }: PinsOptions,
): void {
  const held = [...pins.values()].filter((pin) => isHeld(pin) && before?.get(pin.name)?.state !== pin.state);
  for (const { id, reasons } of held.slice(0, MAX_NAMED)) {
    const problem = shorten(reasons.map(({ code, text }) => `${code}: ${text}`).join('; '), 200);
    log?.warn({ tool: id, problem, hidden: mode === 'block' }, 'a tool is in quarantine; see "toolwright tools pins"');
  }
  const rest = held.length - MAX_NAMED;
  if (rest > 0) log?.warn({ tools: rest }, 'more tools are in quarantine; see "toolwright tools pins"');
}

/** Stores the listed definitions of tools as accepted by a person. Raises `UNKNOWN_TOOL`. */
async function acceptTools(
  ids: readonly string[],
  pins: readonly ToolPin[],
  { listings, records }: { readonly listings: ReadonlyMap<string, Listing>; readonly records: PinRecords },
): Promise<void> {
  const wanted = ids.map((id) => pins.find((pin) => pin.id === id) ?? unknownPin(id, pins));
  for (const server of new Set(wanted.map((pin) => pin.server))) {
    const listing = listings.get(server);
    if (!listing) continue;
    const approvedAtMs = Date.now();
    const names = new Set(wanted.filter((pin) => pin.server === server).map(({ name }) => name));
    const accepted = listing.tools.filter(({ definition }) => names.has(definition.name));
    const stored = accepted.map(({ definition, pin }) => [definition.name, { ...pin, approvedAtMs }] as const);
    listing.record = await records.accept(server, new Map(stored));
  }
}
