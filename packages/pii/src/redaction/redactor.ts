import type { Detection } from '../detection/detection.ts';
import { PII_TYPES, type SchemaHint } from '../detection/detector.ts';
import { PiiError } from '../errors.ts';
import { createKnownValueRedactor } from '../known-values/known-value-redactor.ts';
import { readPlaceholders } from '../placeholder.ts';
import type { AuditSink } from '../policy/audit.ts';
import { DERIVATIONS, type Derivation, type PiiPolicy } from '../policy/policy.ts';
import { sourcesOf } from '../vault/record.ts';
import type { FoundValue, Vault } from '../vault/vault.ts';
import { derive } from './derive.ts';
import { redactFindings } from './redact.ts';
import { type RedactStream, redactStream } from './redact-stream.ts';
import { restore, restoreAs } from './restore.ts';
import { type RestoreStream, restoreStream } from './restore-stream.ts';

/**
 * Stands between the tools, the programs and the model of one session. All methods but those of {@link NO_REDACTION} reject
 * when a value cannot be protected or restored for certain: with `STORE_UNAVAILABLE`, `VAULT_LOCKED`, `VAULT_CORRUPT`, or
 * an error of a detector. Nothing may be shown or sent then.
 */
export interface Redactor {
  /**
   * Arguments as a tool gets them, and how the program wrote the texts and keys that are others there. Raises
   * `UNKNOWN_PLACEHOLDER` and `PII_DENIED`: the tool is not called then.
   */
  restoreArguments(args: Arguments, to: Recipient): Promise<RestoredArguments>;
  /** What a tool answered, or the text of its error, as the program gets it and as the journal keeps it. */
  redactResult(
    answer: unknown,
    from: Source,
  ): Promise<{ readonly guestValue: unknown; readonly journalValue: unknown }>;
  /** What a program made, as the journal keeps it. */
  redactForJournal<T>(value: T): Promise<T>;
  /** Anything on its way to a model: values become placeholders, placeholders stay. */
  redact<T>(value: T): Promise<T>;
  /** Texts that are not the session's own, such as descriptions of tools: only values that it knows become placeholders. */
  redactKnown<T>(value: T): Promise<T>;
  /** Values in place of placeholders, for the eyes of `reader`; audited as if that were a tool. */
  restoreFor<T>(value: T, reader: string): Promise<T>;
  /** As {@link redact}, of a text that comes in pieces. */
  redactStream(): RedactStream;
  /** As {@link restoreFor}, of a text that comes in pieces. */
  restoreStreamFor(reader: string): RestoreStream;
  /** Tells something of the values of placeholders; see `derive`. Raises `INVALID_ARGUMENTS` for what is none. */
  derive(placeholders: readonly unknown[], derivation: unknown): Promise<(string | number | null)[]>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments with values in the place of placeholders. */
export interface RestoredArguments {
  readonly args: Arguments;
  /** Each text and key that has changed, and how it was written before. */
  readonly written: ReadonlyMap<string, string>;
}

/** The tool that gets values, `server__tool`, and its server. */
export interface Recipient {
  readonly tool: string;
  readonly server: string;
}

/** Where an answer comes from, and what its tool says of it. */
export interface Source {
  readonly server: string;
  readonly schema?: unknown;
}

export interface RedactorOptions {
  readonly vault: Vault;
  readonly detection: Detection;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  /** Types that are left as they are. */
  readonly ignored: ReadonlySet<string>;
  /** Servers of which programs get the values themselves; a model does not. */
  readonly clear: ReadonlySet<string>;
  /** Counts what was found, by type. */
  readonly onFound?: (type: string, count: number) => void;
}

/** The guard of a session. */
export function openRedactor(options: RedactorOptions): Redactor {
  const { vault, detection, policy, audit, ignored, clear, onFound } = options;
  const types = new Set([...PII_TYPES, ...detection.types()]);
  const knownValueRedactor = createKnownValueRedactor(vault);

  const find = async (value: unknown, schema?: unknown) => {
    const found = await detection.detectValue(value, isSchema(schema) ? { schema } : {});
    const findings = found
      .map((finding) => ({ ...finding, spans: finding.spans.filter(({ type }) => !ignored.has(type)) }))
      .filter(({ spans }) => spans.length > 0);
    for (const { spans } of findings) for (const { type } of spans) onFound?.(type, 1);
    return findings;
  };
  const redactKnown = async <T>(value: T): Promise<T> =>
    (await (typeof value === 'string' ? knownValueRedactor.text(value) : knownValueRedactor.json(value))) as T;
  const found = async <T>(value: T): Promise<T> =>
    (await redactFindings(value, await find(value), { vault, types, placeholders: 'kept' })) as T;
  const redact = async <T>(value: T): Promise<T> => redactKnown(await found(value));

  /** Who is told a value and gives it back longer, or in other letters, does not make it its own. */
  const inherited = async (values: readonly FoundValue[]) => {
    const names = await knownValueRedactor.namesIn(values.map(({ text }) => text));
    const known = await vault.find([...new Set(names.flatMap((some) => [...some]))]);
    const bySource = new Map<string, FoundValue[]>();
    for (const [index, value] of values.entries()) {
      const sources = [...(names[index] ?? [])].flatMap((name) => [...sourcesOf(known.get(name))]);
      for (const source of new Set(sources)) {
        const list = bySource.get(source) ?? [];
        bySource.set(source, list);
        list.push(value);
      }
    }
    return bySource;
  };

  return {
    async restoreArguments(args, { tool, server }) {
      const { restored, written } = await restoreAs(args, { vault, types, policy, audit, tool, server });
      return { args: restored as Arguments, written };
    },
    async redactResult(answer, { server, schema }) {
      const from = { vault, types, source: server, ...(policy.flows ? { inherited } : {}) };
      const seen = await redactFindings(answer, await find(answer, schema), from);
      // What a tool says of a value that it was given, or that another one told, is no other value: it is spelled as here.
      const known = await knownValueRedactor.findings(seen);
      const journalValue =
        known.length > 0 ? await redactFindings(seen, known, { ...from, placeholders: 'kept' }) : seen;
      return { guestValue: clear.has(server) ? answer : journalValue, journalValue };
    },
    // A program that was given no value can have made none.
    redactForJournal: async (value) => (clear.size > 0 ? redact(value) : value),
    redact,
    redactKnown,
    async restoreFor(value, reader) {
      return (await restore(value, { vault, types, policy, audit, tool: reader, server: reader })) as never;
    },
    redactStream: () =>
      redactStream({ find: detection.detectText, redact: found, knownValues: knownValueRedactor.stream() }),
    restoreStreamFor: (reader) => restoreStream({ vault, types, policy, audit, tool: reader, server: reader }),
    async derive(placeholders, derivation) {
      const names = placeholders.map((text) => nameOf(text, types));
      return derive(names, derivationOf(derivation), { vault, policy, audit });
    },
  };
}

const UNCHANGED = { push: async (piece: string) => piece, end: async () => '' };

/** Where personal data is not replaced: everything stays as it is. */
export const NO_REDACTION: Redactor = {
  restoreArguments: async (args) => ({ args, written: new Map() }),
  redactResult: async (answer) => ({ guestValue: answer, journalValue: answer }),
  redactForJournal: async (value) => value,
  redact: async (value) => value,
  redactKnown: async (value) => value,
  restoreFor: async (value) => value,
  redactStream: () => UNCHANGED,
  restoreStreamFor: () => UNCHANGED,
  async derive() {
    throw new PiiError('PII_DENIED', 'Nothing is derived: pii.mode is "off", so programs have the values themselves.');
  },
};

function isSchema(schema: unknown): schema is SchemaHint {
  return typeof schema === 'object' && schema !== null;
}

function nameOf(text: unknown, types: ReadonlySet<string>): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  const [only] = readPlaceholders(trimmed, types);
  if (only?.escapes === 0 && only.start === 0 && only.end === trimmed.length) return only.name;
  const message = 'pii.derive takes a placeholder such as "[EMAIL_1]" as a tool gave it, or a list of them.';
  throw new PiiError('INVALID_ARGUMENTS', message);
}

function derivationOf(word: unknown): Derivation {
  const known = DERIVATIONS.find((derivation) => derivation === word);
  if (known) return known;
  const message = `pii.derive cannot tell ${JSON.stringify(word) ?? 'undefined'}. It tells: ${DERIVATIONS.join(', ')}.`;
  throw new PiiError('INVALID_ARGUMENTS', message);
}
