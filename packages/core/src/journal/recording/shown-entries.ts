import { parseWithDigits } from '@toolwright/sandbox/internal';
import { MAX_VALUE_BYTES } from '../calls.ts';
import type { JournalReader } from '../storages/storage.ts';

/** An entry of a journal for a person: without codes, keys and sealed values. Its values are redacted, as in the journal. */
export interface ShownEntry {
  /** Number of its line, from 1. */
  readonly number: number;
  readonly entry: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Number of the call that the entry is about. */
  readonly call?: number;
  /** The other members. One over 16 KiB is `{ omittedBytes }`. */
  readonly [member: string]: unknown;
}

export interface ShownEntriesOptions {
  /** Number of the last known entry. */
  readonly after: number;
  readonly limit: number;
  /** Kinds of entries. Default: all. */
  readonly kinds?: ReadonlySet<string> | undefined;
}

/** Members that only a replay and the check of a journal need, and those with the real data of people. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...[
    'code',
    'mac',
    'binding',
    'toolBinding',
    'serverBinding',
    'scopeBinding',
    'sealedAmounts',
    'seed',
    'epochMs',
    'owner',
    'host',
    'catalogHash',
    'sealedRequest',
    'packages',
    'format',
  ],
  ...['clear', 'outcome', 'sealed', 'realDetails', 'state', 'requests', 'resultBytes'],
]);
/** Of a plan, the place of the codes. */
const HIDDEN_OF_PLAN: ReadonlySet<string> = new Set(['binding', 'toolBinding', 'serverBinding']);

/** Reads entries of a journal after a number. */
export async function readShownEntries(
  journals: JournalReader,
  id: string,
  { after, limit, kinds }: ShownEntriesOptions,
): Promise<{ readonly entries: ShownEntry[]; readonly nextAfter?: number }> {
  const entries: ShownEntry[] = [];
  let number = after;
  for await (const page of journals.read(id, after)) {
    for (const line of page) {
      number++;
      if (!isWanted(line, kinds)) continue;
      const last = entries.at(-1)?.number;
      if (entries.length === limit && last !== undefined) return { entries, nextAfter: last };
      const shown = shownOf(line, number);
      if (shown) entries.push(shown);
    }
  }
  return { entries };
}

function isWanted(line: string, kinds: ReadonlySet<string> | undefined): boolean {
  return kinds === undefined || kinds.has(/^\{"entry":"([a-z]+)"/.exec(line)?.[1] ?? '');
}

function shownOf(line: string, number: number): ShownEntry | undefined {
  let parsed: Record<string, unknown>;
  try {
    parsed = parseWithDigits(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { entry, at, number: call } = parsed;
  if (typeof entry !== 'string' || typeof at !== 'string') return undefined;
  const members = Object.entries(parsed)
    // Answers of people to servers are theirs.
    .filter(([name]) => !HIDDEN.has(name) && !(entry === 'decision' && name === 'value'))
    .map(([name, value]): [string, unknown] => [name, shortened(name === 'plan' ? withoutCodes(value) : value)]);
  return { ...Object.fromEntries(members), number, entry, at, ...(typeof call === 'number' ? { call } : {}) };
}

function withoutCodes(plan: unknown): unknown {
  return Object.fromEntries(Object.entries(Object(plan)).filter(([name]) => !HIDDEN_OF_PLAN.has(name)));
}

function shortened(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes > MAX_VALUE_BYTES ? { omittedBytes: bytes } : value;
}
