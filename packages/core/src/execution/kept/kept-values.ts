import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { exactText, messageOf, type Operation, parseExact } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { KeptReport } from '../../history/result.ts';
import {
  type KeptChange,
  type KeptEntry,
  type KeptIndex,
  type KeptStore,
  MAX_KEPT_BYTES,
  requireContent,
} from '../../sessions/kept/kept.ts';
import { partOf } from './part.ts';

/** The kept values of a session, for one program. */
export interface KeptValues {
  /** The operations with which a program loads them. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** Returns whether the program received a content as it is stored, without values in place of placeholders. */
  isStored(hash: string): boolean;
  /** Receives a notice of the program. Returns whether it was a value to keep. */
  receive(notice: string): boolean;
  /** Stores the values of a completed program. Returns nothing to report as undefined. Never rejects. */
  end(): Promise<KeptReport | undefined>;
  /** Returns a sentence with the names of the kept values, for an error about an unknown name. */
  advice(name: string): Promise<string | undefined>;
}

export interface KeptValuesOptions {
  /** Absent for a program without a session. */
  readonly store?: KeptStore | undefined;
  readonly language: LanguageName;
  readonly values: ProgramValues;
  readonly redactor: Redactor;
  /** Whether the values are stored at the end. */
  readonly isKept: boolean;
}

/** A value that the program sent, or the reason for which it has none. */
interface Sent {
  readonly name: string;
  readonly type: string;
  readonly format?: KeptEntry['format'];
  readonly needs?: readonly string[] | undefined;
  readonly parts: string[];
  readonly problem?: string | undefined;
}

/** The formats that a language reads. */
const OWN_FORMATS: Readonly<Record<LanguageName, ReadonlySet<KeptEntry['format']>>> = {
  python: new Set(['json', 'source', 'pickle']),
  typescript: new Set(['json', 'code', 'import', 'clone']),
};
const NOTICE = /^\["keep", ?\{/;
const NAME = /^[\p{ID_Start}_$][\p{ID_Continue}$]{0,99}$/u;
const MAX_TYPE_CHARACTERS = 80;
const MAX_PROBLEM_CHARACTERS = 200;
const MAX_NEEDS = 1_000;
const MAX_SENT = 1_000;
/** Names in an error. */
const MAX_NAMED = 20;
const PLAIN_TEXT = 'it has personal data that this program sees in plain text; keep it as plain data';
const CLEAR_DATA =
  'it has personal data, which this server shows to programs; read it again, or write it to /workspace';

/** Returns whether a notice of a program is a value to keep. */
export function isKeepNotice(notice: string): boolean {
  return NOTICE.test(notice);
}

/** Opens the kept values of a session for a program. */
export function openKeptValues({ store, language, values, redactor, isKept }: KeptValuesOptions): KeptValues {
  const sent = new Map<string, Sent>();
  const loaded = new Map<string, { readonly content: string; readonly isStored: boolean }>();
  let bytes = 0;
  const contentOf = async (hash: string) => {
    const known = loaded.get(hash);
    if (known !== undefined) return known.content;
    const whole = await requireContent(requireStore(store), hash);
    const content = await values.reveal(whole, true);
    loaded.set(hash, { content, isStored: content === whole });
    return content;
  };
  const add = (notice: string) => {
    const read = readNotice(notice, language);
    if (!read || (sent.size >= MAX_SENT && !sent.has(read.name))) return;
    const before = sent.get(read.name);
    const parts = [...(before?.parts ?? []), ...read.parts];
    bytes += read.parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const isOver = bytes > 2 * MAX_KEPT_BYTES;
    sent.set(read.name, {
      ...read,
      parts: isOver ? [] : parts,
      problem: isOver ? 'the program keeps too much' : read.problem,
    });
  };
  return {
    operations: {
      // A dry run may name a session that does not exist yet.
      kept: async () => (store ? ownEntries(await store.index(), language) : {}),
      keptValue: async (hash, at) => partOf(await contentOf(String(hash)), Number(at)),
    },
    isStored: (hash) => loaded.get(hash)?.isStored === true,
    receive(notice) {
      if (!isKeepNotice(notice)) return false;
      if (store && isKept) add(notice);
      return true;
    },
    async end() {
      if (!store || sent.size === 0) return undefined;
      try {
        const all = await Promise.all([...sent.values()].map((each) => stored(each, values, redactor)));
        const { kept, full } = await store.keep(all.flatMap((each) => ('content' in each ? [each] : [])));
        const refused = all.flatMap((each) => ('content' in each ? [] : [each]));
        return reportOf(kept, [...refused, ...full.map((each) => ({ ...each, problem: fullProblem(each) }))]);
      } catch (error) {
        return { values: [], problems: [{ name: '*', problem: messageOf(error) }] };
      }
    },
    async advice(name) {
      const index = await store?.index().catch(() => undefined);
      return index && adviceOf(index, name, language);
    },
  };
}

function requireStore(store: KeptStore | undefined): KeptStore {
  if (store) return store;
  throw new ToolwrightError('BRIDGE_PROTOCOL', 'A program without a session has no kept values.');
}

/** The guest may send anything. */
function readNotice(notice: string, language: LanguageName): Sent | undefined {
  try {
    const [, entry, part = ''] = JSON.parse(notice);
    const { name, type, format, needs, problem } = Object(entry);
    if (typeof name !== 'string' || !NAME.test(name) || typeof part !== 'string') return undefined;
    if (problem === undefined && !OWN_FORMATS[language].has(format)) return undefined;
    return {
      name,
      type: oneLine(type, MAX_TYPE_CHARACTERS),
      format,
      parts: [part],
      needs: Array.isArray(needs) ? needs.slice(0, MAX_NEEDS).map(String) : undefined,
      problem: problem === undefined ? undefined : oneLine(problem, MAX_PROBLEM_CHARACTERS),
    };
  } catch {
    return undefined;
  }
}

function oneLine(text: unknown, characters: number): string {
  return String(text ?? '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, characters);
}

/** Returns a value as it is stored: with placeholders. A pickle is not text, so that a value in it cannot be replaced. */
async function stored(
  { parts, problem, format, ...entry }: Sent,
  values: ProgramValues,
  redactor: KeptValuesOptions['redactor'],
): Promise<KeptChange | { readonly name: string; readonly type: string; readonly problem: string }> {
  if (problem !== undefined || format === undefined) return { ...entry, problem: problem ?? 'it has no content' };
  const content = parts.join('');
  if (redactor.givesValues && (await hasPersonalData(content, format, redactor))) {
    return { ...entry, problem: CLEAR_DATA };
  }
  if (format !== 'pickle') return { ...entry, format, content: await values.conceal(content) };
  const text = decoded(content);
  return (await values.conceal(text)) === text ? { ...entry, format, content } : { ...entry, problem: PLAIN_TEXT };
}

/** A program with clear values may keep them only in its files: no other store has them. */
async function hasPersonalData(
  content: string,
  format: KeptEntry['format'],
  { redactForJournal }: Redactor,
): Promise<boolean> {
  const value = format === 'json' ? parseExact(content) : format === 'pickle' ? decoded(content) : content;
  return exactText(await redactForJournal(value)) !== exactText(value);
}

function decoded(content: string): string {
  return Buffer.from(content, 'base64').toString();
}

function fullProblem({ content }: KeptChange): string {
  const [size, limit] = [Buffer.byteLength(content), MAX_KEPT_BYTES].map((bytes) => bytes.toLocaleString('en-US'));
  return `it has ${size} bytes, and all kept values of a session together at most ${limit}; write it to a file in /workspace`;
}

function reportOf(
  kept: readonly KeptChange[],
  refused: readonly { readonly name: string; readonly problem: string }[],
): KeptReport | undefined {
  // Imports are no values for the reader of the answer.
  const shown = kept.filter(({ format, type }) => format !== 'import' && type !== 'import');
  if (shown.length + refused.length === 0) return undefined;
  return {
    values: shown.map(({ name, type }) => ({ name, type })),
    problems: refused.map(({ name, problem }) => ({ name, problem })),
  };
}

function ownEntries(index: KeptIndex, language: LanguageName): object {
  const entries = Object.entries(index).filter(([, { format }]) => OWN_FORMATS[language].has(format));
  return Object.fromEntries(entries.map(([name, { bytes: _bytes, ...entry }]) => [name, entry]));
}

function adviceOf(index: KeptIndex, name: string, language: LanguageName): string | undefined {
  const known = Object.hasOwn(index, name) ? index[name] : undefined;
  if (known && !OWN_FORMATS[language].has(known.format)) {
    const other = language === 'python' ? 'TypeScript' : 'Python';
    return `${name} is a ${known.type} of a ${other} program, which only ${other} programs can read. Keep plain data for both.`;
  }
  const names = Object.entries(index).filter(([, { format, type }]) => format !== 'import' && type !== 'import');
  const shown = names.slice(0, MAX_NAMED).map(([each, { type }]) => `${each} (${type})`);
  if (shown.length === 0) return undefined;
  return `This session has kept: ${shown.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}.`;
}
