import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import type { CredentialDescription, KnownPackage, NodeDescription } from './description.ts';
import type { IndexEntry, OpenIndex } from './index-file.ts';
import { candidateNames, isOfOtherPackage, shortName } from './names.ts';
import { canAskFirst, hitlToolOf, toolOf, toolSource } from './variant.ts';

/** The result of looking up a node type and version, by the rules of n8n. */
export type NodeLookup =
  | { readonly found: NodeDescription }
  | { readonly missing: 'type' | 'version' | 'tool'; readonly known: readonly number[] };

/** All node types of one version of n8n. */
export interface NodeCatalog {
  /** Version of n8n. */
  readonly version: string;
  /** Packages of community nodes. Known for the catalog of an instance. */
  readonly community?: readonly KnownPackage[] | undefined;
  /** The index entry of the newest description of each type. */
  readonly entries: readonly IndexEntry[];
  /** Returns the full name for `slack`, `nodes-base.slack` or a full name; undefined for an unknown type. */
  resolve(name: string): string | undefined;
  /** Looks up a full name by the rules of n8n's engine. Default version: the newest. */
  lookup(type: string, version?: number): NodeLookup;
  /** Returns the description of a type that {@link resolve} knows. Raises `INVALID_ARGUMENTS` with similar names. */
  describe(name: string, version?: number): NodeDescription;
  /** Returns all versions of a type, ascending. */
  versions(type: string): number[];
  /** Returns a credential type by name; undefined for an unknown one. */
  credential(name: string): CredentialDescription | undefined;
  /** Returns up to 3 full names that are similar to an unknown one. */
  near(name: string): string[];
}

/** Characters of parsed descriptions in the cache; n8n's largest node has 300,000. */
const MAX_KEPT_CHARS = 6_000_000;

/** Creates a node catalog from an index. */
export function createNodeCatalog(index: OpenIndex): NodeCatalog {
  const byName = new Map<string, IndexEntry[]>();
  for (const entry of index.nodes) byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  for (const entries of byName.values()) entries.sort((a, b) => newest(a) - newest(b));
  const byShort = shortNames([...byName.keys()]);
  const byTitle = new Map([...byName].map(([name, [entry]]) => [plain(entry?.displayName ?? ''), name]));
  const credentials = new Map(index.credentials.map((entry) => [entry.name, entry]));
  const read = cached((entry: IndexEntry) => index.description(entry));
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
    const titled = byTitle.get(plain(name));
    // A community node may share its short name with a node of n8n, and is another node. A title such as "Monday.com" has no package.
    if (isOfOtherPackage(name)) return titled;
    const known = byShort.get(shortName(name).toLowerCase()) ?? titled;
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
    community: index.community,
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
      const message = `${type} has no version ${version}. Use one of: ${versions(type).join(', ')}.`;
      throw new ToolwrightError('INVALID_ARGUMENTS', message, { details: { type, version } });
    },
    credential(name) {
      const entry = credentials.get(name);
      return entry && index.credential(entry);
    },
  };
}

/** Returns full names by the part after the package. A short name means a node of n8n, if there is one, and the first one otherwise. */
function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const own = names.filter((name) => !isOfOtherPackage(name));
  const others = names.filter(isOfOtherPackage);
  return new Map([...own, ...others].reverse().map((name) => [shortName(name).toLowerCase(), name]));
}

/** The way to a catalog with community nodes. */
export const OTHER_PACKAGE_FIX =
  'If it is a community node that the instance has, run "toolwright n8n sync --from <address of the instance>".';

function unknownType(name: string, near: readonly string[], version: string): ToolwrightError {
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  const fix = isOfOtherPackage(name) ? OTHER_PACKAGE_FIX : 'Call searchNodes to find a type.';
  const message = `n8n ${version} has no node type "${name}".${hint} ${fix}`;
  return new ToolwrightError('INVALID_ARGUMENTS', message, { details: { type: name, near } });
}

/** Returns the newest description of a version. Types without versions accept any version. */
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

/** Caches the most recently used descriptions, up to `MAX_KEPT_CHARS` characters. */
function cached(read: (entry: IndexEntry) => NodeDescription): (entry: IndexEntry) => NodeDescription {
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
    // The index holds compressed sizes; the text is about 12 times larger.
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
