import type { ToolDefinition } from '@toolwright/connectors';
import type { Steps } from '@toolwright/pii/internal';
import { differenceOf, isAnotherServer } from './compare.ts';
import { type Listing, poisonReason } from './listing.ts';
import type { PinReason, ToolPin } from './pin.ts';

/** Reviews the tools of servers, also in comparison with those of the others. */
interface Reviews {
  readonly listings: ReadonlyMap<string, Listing>;
  /** Replaces the listing of a server. */
  set(listing: Listing): void;
  remove(server: string): void;
  /** Compares each tool of a listing with its pin and with the tools of other servers, and reads its texts. */
  of(listing: Listing): Steps<ReadonlyMap<string, ToolPin>>;
}

/** The tools of one server, as far as others can imitate them. */
interface Imitable {
  readonly server: string;
  readonly definitions: readonly ToolDefinition[];
}

/** A tool that another one imitates. */
interface Original {
  readonly server: string;
  readonly name: string;
  readonly sameName: boolean;
  /** Whether the descriptions are nearly identical. */
  readonly sameText: boolean;
}

/** Finds tools with the same name or a nearly identical description on different servers. */
interface Shadows {
  /** Replaces the tools of a server. */
  set(tools: Imitable): void;
  remove(server: string): void;
  /** Returns the tools of other servers that a tool resembles. */
  resembledBy(server: string, definition: ToolDefinition): readonly Original[];
  /** Whether two servers offer mostly the same tools: two instances of one program. */
  areInstances(server: string, other: string): boolean;
}

/** Words of a sequence that is compared, and the fewest words of a description that can be imitated. */
const SEQUENCE_WORDS = 3;
const MIN_WORDS = 6;
const MAX_WORDS = 400;
/** Sequences of a description by which similar ones are found. Of two nearly identical ones, one of them is almost surely the same. */
const KEYS = 6;
/** Tools of other servers whose description is compared with the one of a tool. Nearly identical ones have a rare sequence in common. */
const MAX_CANDIDATES = 100;
/** Share of common sequences from which on two descriptions are nearly identical. */
const SIMILAR = 0.7;
/** Tools that two instances of a program have in common, and their share. */
const MIN_COMMON = 3;
const COMMON_SHARE = 0.5;

interface Entry {
  readonly server: string;
  readonly name: string;
  readonly sequences: ReadonlySet<number>;
}

/** Creates reviews of no server. */
export function createReviews(idOf: (server: string, name: string) => string): Reviews {
  const listings = new Map<string, Listing>();
  const owners = new Map<string, Set<string>>();
  const shadows = createShadows();

  function remove(server: string): void {
    for (const name of listings.get(server)?.names ?? []) owners.get(name)?.delete(server);
    listings.delete(server);
    shadows.remove(server);
  }

  function shadowReason(listing: Listing, definition: ToolDefinition): PinReason | undefined {
    if (listing.isTrusted) return undefined;
    const original = shadows
      .resembledBy(listing.server, definition)
      .find((each) => isImitated(each, listing) && !shadows.areInstances(listing.server, each.server));
    if (!original) return undefined;
    const same = original.sameText ? 'nearly the description' : 'the name';
    return { code: 'shadowing', text: `it has ${same} of ${idOf(original.server, original.name)}` };
  }

  function isImitated({ server, name, sameText }: Original, listing: Listing): boolean {
    const other = listings.get(server);
    if (!other || !isOlder(other, listing)) return false;
    // A single word, such as `search`, is no sign of imitation. Neither are names of servers that were accepted together.
    const isLater = other.record !== undefined && other.record.sinceMs < (listing.record?.sinceMs ?? 0);
    return sameText || (isLater && /[a-z0-9][_-]|[a-z][A-Z]/.test(name));
  }

  return {
    listings,
    remove,
    set(listing) {
      const { server, names, tools } = listing;
      remove(server);
      listings.set(server, listing);
      for (const name of names) owners.set(name, (owners.get(name) ?? new Set()).add(server));
      shadows.set({ server, definitions: tools.map(({ definition }) => definition) });
    },
    *of(listing) {
      const { server, names, record } = listing;
      const isForeign = (name: string) => [...(owners.get(name) ?? [])].some((owner) => owner !== server);
      const pins = new Map<string, ToolPin>();
      for (const tool of listing.tools) {
        yield;
        const { definition, pin } = tool;
        const known = record?.tools.get(definition.name);
        const isKnown = known?.fingerprint === pin.fingerprint && !isAnotherServer(known, pin.serverKey);
        const approvedAtMs = isKnown ? known.approvedAtMs : undefined;
        const difference = record && !listing.isTrusted ? differenceOf(definition, pin, record, names) : undefined;
        const reasons = [
          difference?.reason,
          // A person has accepted its texts, and its likeness to other tools.
          ...(approvedAtMs === undefined ? [shadowReason(listing, definition)] : []),
          ...(approvedAtMs === undefined ? [poisonReason(tool, names, isForeign)] : []),
        ].filter((reason) => reason !== undefined);
        pins.set(definition.name, {
          id: idOf(server, definition.name),
          server,
          name: definition.name,
          state: reasons.length === 0 ? 'accepted' : 'quarantined',
          reasons,
          fingerprint: pin.fingerprint,
          approvedAt: approvedAtMs === undefined ? undefined : new Date(approvedAtMs).toISOString(),
          diff: difference?.diff,
        });
      }
      return pins;
    },
  };
}

/** Returns whether a server was accepted before another one: earlier, or by the same process and before it in the configuration. */
function isOlder(one: Listing, other: Listing): boolean {
  if (one.isTrusted) return true;
  const [since = 0, otherSince = 0] = [one.record?.sinceMs, other.record?.sinceMs];
  return since === otherSince ? one.order < other.order : since < otherSince;
}

/** Creates an empty search for imitated tools. */
export function createShadows(): Shadows {
  const byServer = new Map<string, readonly Entry[]>();
  /** By key, and then by server: the tools of one server share many keys. */
  const byKey = new Map<string, Map<string, Set<Entry>>>();
  const keysOf = ({ name, sequences }: Entry): string[] => [
    `n${name}`,
    ...[...sequences]
      .sort((a, b) => a - b)
      .slice(0, KEYS)
      .map((key) => `t${key}`),
  ];
  const remove = (server: string): void => {
    for (const entry of byServer.get(server) ?? []) {
      for (const key of keysOf(entry)) {
        const servers = byKey.get(key);
        servers?.delete(entry.server);
        if (servers?.size === 0) byKey.delete(key);
      }
    }
    byServer.delete(server);
  };
  /** Returns the tools of other servers that have a key of a tool, those with a rare key first. */
  const candidatesOf = (own: Entry): Set<Entry> => {
    const [name = '', ...texts] = keysOf(own);
    const others = (key: string) =>
      [...(byKey.get(key) ?? [])].filter(([server]) => server !== own.server).map(([, entries]) => entries);
    const size = (entries: readonly ReadonlySet<Entry>[]) => entries.reduce((sum, each) => sum + each.size, 0);
    const found = new Set(others(name).flatMap((entries) => [...entries]));
    const most = found.size + MAX_CANDIDATES;
    for (const entries of texts
      .map(others)
      .sort((a, b) => size(a) - size(b))
      .flat()) {
      for (const entry of entries) if (found.size < most) found.add(entry);
    }
    return found;
  };
  const entryOf = (server: string, { name, description = '' }: ToolDefinition): Entry => ({
    server,
    name,
    sequences: sequencesOf(String(description)),
  });
  return {
    remove,
    set({ server, definitions }) {
      remove(server);
      const entries = definitions.map((definition) => entryOf(server, definition));
      byServer.set(server, entries);
      for (const entry of entries) {
        for (const key of keysOf(entry)) {
          const servers = byKey.get(key) ?? new Map<string, Set<Entry>>();
          byKey.set(key, servers.set(server, (servers.get(server) ?? new Set()).add(entry)));
        }
      }
    },
    resembledBy(server, definition) {
      const own = entryOf(server, definition);
      return [...candidatesOf(own)]
        .map((entry): Original => {
          const sameText = similarity(own.sequences, entry.sequences) >= SIMILAR;
          return { server: entry.server, name: entry.name, sameName: entry.name === own.name, sameText };
        })
        .filter(({ sameName, sameText }) => sameName || sameText);
    },
    areInstances(server, other) {
      const names = new Set(byServer.get(server)?.map(({ name }) => name));
      const others = new Set(byServer.get(other)?.map(({ name }) => name));
      const common = [...names].filter((name) => others.has(name)).length;
      return common >= MIN_COMMON && common / (names.size + others.size - common) >= COMMON_SHARE;
    },
  };
}

/** Returns hashes of the sequences of words in a description; none for a short one, which many tools share. */
function sequencesOf(description: string): Set<number> {
  const words = (description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
  const sequences = new Set<number>();
  if (words.length < MIN_WORDS) return sequences;
  for (let index = 0; index + SEQUENCE_WORDS <= words.length; index++) {
    sequences.add(hashOf(words.slice(index, index + SEQUENCE_WORDS).join(' ')));
  }
  return sequences;
}

/** FNV-1a with 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

function similarity(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const sequence of one) if (other.has(sequence)) common++;
  return common / (one.size + other.size - common);
}
