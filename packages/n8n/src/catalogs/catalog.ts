import { ToolwrightError } from '@toolwright/core';
import { suggest } from '@toolwright/core/internal';
import type { CredentialDescription, NodeDescription } from './description.ts';
import type { IndexEntry, OpenIndex } from './index-file.ts';
import { candidateNames, shortName } from './names.ts';
import { canAskFirst, hitlToolOf, toolOf, toolSource } from './variant.ts';

/** What n8n finds when it looks a node's type and version up. */
export type NodeLookup =
  | { readonly found: NodeDescription }
  | { readonly missing: 'type' | 'version' | 'tool'; readonly known: readonly number[] };

/** All node types of one version of n8n. */
export interface NodeCatalog {
  /** Version of n8n. */
  readonly version: string;
  /** The newest description of each type, as far as the index tells. */
  readonly entries: readonly IndexEntry[];
  /** The full name of a type that may be written `slack`, `nodes-base.slack` or in full; undefined for none. */
  resolve(name: string): string | undefined;
  /** Looks a full name up as the engine does; without a version, the newest. */
  lookup(type: string, version?: number): NodeLookup;
  /** The description of a forgivingly named type. Raises `INVALID_ARGUMENTS` with the names that are near. */
  describe(name: string, version?: number): NodeDescription;
  /** All versions of a type, ascending. */
  versions(type: string): number[];
  /** A credential type by name; undefined for none. */
  credential(name: string): CredentialDescription | undefined;
  /** Full names that are near a wrong one. */
  near(name: string): string[];
}

/** Characters of descriptions that are kept parsed: the largest node of n8n has 300,000. */
const MAX_KEPT_CHARS = 6_000_000;

/** Makes an index into a catalogue. */
export function createNodeCatalog(index: OpenIndex): NodeCatalog {
  const byName = new Map<string, IndexEntry[]>();
  for (const entry of index.nodes) byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  for (const entries of byName.values()) entries.sort((a, b) => newest(a) - newest(b));
  const byShort = new Map<string, string>();
  for (const name of [...byName.keys()].reverse()) byShort.set(shortName(name).toLowerCase(), name);
  const byTitle = new Map([...byName].map(([name, [entry]]) => [plain(entry?.displayName ?? ''), name]));
  const credentials = new Map(index.credentials.map((entry) => [entry.name, entry]));
  const read = keeping((entry: IndexEntry) => index.description(entry));
  const variants = new WeakMap<NodeDescription, Map<string, NodeDescription>>();

  function variant(base: NodeDescription, kind: 'Tool' | 'HitlTool'): NodeDescription {
    const made = variants.get(base) ?? new Map<string, NodeDescription>();
    variants.set(base, made);
    const known = made.get(kind) ?? (kind === 'Tool' ? toolOf(base) : hitlToolOf(base));
    made.set(kind, known);
    return known;
  }

  function lookup(type: string, version?: number): NodeLookup {
    const entries = byName.get(type);
    if (entries) return pick(entries, version, read);
    const source = toolSource(type);
    const base = source && byName.get(source.base);
    if (!base) return { missing: 'type', known: [] };
    const found = pick(base, version, read);
    if ('missing' in found) return found;
    const isTool = source.kind === 'Tool' ? found.found.usableAsTool : canAskFirst(found.found);
    if (!isTool) return { missing: 'tool', known: [] };
    return { found: variant(found.found, source.kind) };
  }

  function resolve(name: string): string | undefined {
    for (const candidate of candidateNames(name)) {
      if (byName.has(candidate)) return candidate;
      const source = toolSource(candidate);
      if (source && byName.get(source.base)?.some(({ usableAsTool }) => usableAsTool || source.kind !== 'Tool'))
        return candidate;
    }
    const short = shortName(name).toLowerCase();
    const known = byShort.get(short) ?? byTitle.get(plain(name));
    if (known !== undefined) return known;
    const base = /^(.+?)(HitlTool|Tool)$/i.exec(shortName(name));
    const source = base && byShort.get((base[1] ?? '').toLowerCase());
    return source && byName.get(source)?.some(({ usableAsTool }) => usableAsTool) ? `${source}Tool` : undefined;
  }

  const near = (name: string): string[] => {
    const shorts = suggest(shortName(name), new Set([...byName.keys()].map(shortName)), 3);
    return shorts.map((short) => byShort.get(short.toLowerCase()) ?? short);
  };
  const versions = (type: string): number[] => {
    const entries = byName.get(type) ?? byName.get(toolSource(type)?.base ?? '') ?? [];
    return [...new Set(entries.flatMap(({ version }) => version))].sort((a, b) => a - b);
  };
  return {
    version: index.version,
    entries: [...byName.values()].map((entries) => entries.at(-1) as IndexEntry),
    resolve,
    lookup,
    versions,
    near,
    describe(name, version) {
      const type = resolve(String(name));
      if (type === undefined) throw unknownType(name, near(name), index.version);
      const looked = lookup(type, version);
      if ('found' in looked && (version === undefined || looked.found.version.includes(version))) return looked.found;
      const message = `${type} has no version ${version}. It has: ${versions(type).join(', ')}.`;
      throw new ToolwrightError('INVALID_ARGUMENTS', message, { details: { type, version } });
    },
    credential(name) {
      const entry = credentials.get(name);
      return entry && index.credential(entry);
    },
  };
}

function unknownType(name: string, near: readonly string[], version: string): ToolwrightError {
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  const message = `n8n ${version} has no node type "${name}".${hint} searchNodes finds types by what they do.`;
  return new ToolwrightError('INVALID_ARGUMENTS', message, { details: { type: name, near } });
}

/** The description for a version: the newest that has it; for types that take any version, the newest of all. */
function pick(
  entries: readonly IndexEntry[],
  version: number | undefined,
  read: (entry: IndexEntry) => NodeDescription,
): NodeLookup {
  const last = entries.at(-1) as IndexEntry;
  if (version === undefined) return { found: read(last) };
  const fitting = entries.findLast((entry) => entry.version.includes(version));
  if (fitting) return { found: read(fitting) };
  const isVersioned = entries.length > 1 || last.isVersioned === true;
  return isVersioned ? { missing: 'version', known: entries.flatMap((entry) => entry.version) } : { found: read(last) };
}

function newest(entry: IndexEntry): number {
  return Math.max(0, ...entry.version);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Keeps what was read last, up to `MAX_KEPT_CHARS` of it. */
function keeping(read: (entry: IndexEntry) => NodeDescription): (entry: IndexEntry) => NodeDescription {
  const kept = new Map<IndexEntry, { readonly description: NodeDescription; readonly chars: number }>();
  let total = 0;
  return (entry) => {
    const known = kept.get(entry);
    if (known) {
      kept.delete(entry);
      kept.set(entry, known);
      return known.description;
    }
    const description = read(entry);
    // Compressed bytes are in the index; text is about 12 times as much.
    const chars = 12 * entry.place[1];
    kept.set(entry, { description, chars });
    total += chars;
    for (const [oldest, { chars: freed }] of kept) {
      if (total <= MAX_KEPT_CHARS || oldest === entry) break;
      kept.delete(oldest);
      total -= freed;
    }
    return description;
  };
}
