import type { AuditSink } from './audit.ts';
import { derive } from './derive.ts';
import type { Detection } from './detection.ts';
import { PII_TYPES, type SchemaHint } from './detector.ts';
import { PiiError } from './errors.ts';
import { readPlaceholders } from './placeholder.ts';
import { DERIVATIONS, type Derivation, type PiiPolicy } from './policy.ts';
import { protect } from './redact.ts';
import { type ProtectStream, protectStream } from './redact-stream.ts';
import { restore, restoreAs } from './restore.ts';
import { type RestoreStream, restoreStream } from './restore-stream.ts';
import { createSweeper } from './known-values.ts';
import { sourcesOf } from './vault/record.ts';
import type { FoundValue, Vault } from './vault.ts';

/**
 * Stands between the tools, the programs and the model of one session. All methods but those of {@link NO_GUARD} reject
 * when a value cannot be protected or restored for certain: with `STORE_UNAVAILABLE`, `VAULT_LOCKED`, `VAULT_CORRUPT`, or
 * an error of a detector. Nothing may be shown or sent then.
 */
export interface Guard {
  /**
   * Arguments as a tool gets them, and how the program wrote the texts and keys that are others there. Raises
   * `UNKNOWN_PLACEHOLDER` and `PII_DENIED`: the tool is not called then.
   */
  forTool(args: Arguments, to: Recipient): Promise<RestoredArguments>;
  /** What a tool answered, or the text of its error, as the program gets it and as the journal keeps it. */
  forProgram(answer: unknown, from: Source): Promise<{ readonly given: unknown; readonly kept: unknown }>;
  /** What a program made, as the journal keeps it. */
  kept<T>(value: T): Promise<T>;
  /** Anything on its way to a model: values become placeholders, placeholders stay. */
  forModel<T>(value: T): Promise<T>;
  /** Texts that are not the session's own, such as descriptions of tools: only values that it knows become placeholders. */
  swept<T>(value: T): Promise<T>;
  /** Values in place of placeholders, for the eyes of `reader`; audited as if that were a tool. */
  forReader<T>(value: T, reader: string): Promise<T>;
  /** As {@link forModel}, of a text that comes in pieces. */
  streamForModel(): ProtectStream;
  /** As {@link forReader}, of a text that comes in pieces. */
  streamForReader(reader: string): RestoreStream;
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

export interface GuardOptions {
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
export function openGuard(options: GuardOptions): Guard {
  const { vault, detection, policy, audit, ignored, clear, onFound } = options;
  const types = new Set([...PII_TYPES, ...detection.types()]);
  const sweeper = createSweeper(vault);

  const find = async (value: unknown, schema?: unknown) => {
    const found = await detection.detectValue(value, isSchema(schema) ? { schema } : {});
    const findings = found
      .map((finding) => ({ ...finding, spans: finding.spans.filter(({ type }) => !ignored.has(type)) }))
      .filter(({ spans }) => spans.length > 0);
    for (const { spans } of findings) for (const { type } of spans) onFound?.(type, 1);
    return findings;
  };
  const swept = async <T>(value: T): Promise<T> =>
    (await (typeof value === 'string' ? sweeper.text(value) : sweeper.json(value))) as T;
  const found = async <T>(value: T): Promise<T> =>
    (await protect(value, await find(value), { vault, types, placeholders: 'kept' })) as T;
  const forModel = async <T>(value: T): Promise<T> => swept(await found(value));

  /** Who is told a value and gives it back longer, or in other letters, does not make it its own. */
  const inherited = async (values: readonly FoundValue[]) => {
    const names = await sweeper.namesIn(values.map(({ text }) => text));
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
    async forTool(args, { tool, server }) {
      const { restored, written } = await restoreAs(args, { vault, types, policy, audit, tool, server });
      return { args: restored as Arguments, written };
    },
    async forProgram(answer, { server, schema }) {
      const from = { vault, types, source: server, ...(policy.flows ? { inherited } : {}) };
      const seen = await protect(answer, await find(answer, schema), from);
      // What a tool says of a value that it was given, or that another one told, is no other value: it is spelled as here.
      const known = await sweeper.findings(seen);
      const kept = known.length > 0 ? await protect(seen, known, { ...from, placeholders: 'kept' }) : seen;
      return { given: clear.has(server) ? answer : kept, kept };
    },
    // A program that was given no value can have made none.
    kept: async (value) => (clear.size > 0 ? forModel(value) : value),
    forModel,
    swept,
    async forReader(value, reader) {
      return (await restore(value, { vault, types, policy, audit, tool: reader, server: reader })) as never;
    },
    streamForModel: () => protectStream({ find: detection.detectText, protect: found, sweep: sweeper.stream() }),
    streamForReader: (reader) => restoreStream({ vault, types, policy, audit, tool: reader, server: reader }),
    async derive(placeholders, derivation) {
      const names = placeholders.map((text) => nameOf(text, types));
      return derive(names, derivationOf(derivation), { vault, policy, audit });
    },
  };
}

const UNCHANGED = { push: async (piece: string) => piece, end: async () => '' };

/** Where personal data is not replaced: everything stays as it is. */
export const NO_GUARD: Guard = {
  forTool: async (args) => ({ args, written: new Map() }),
  forProgram: async (answer) => ({ given: answer, kept: answer }),
  kept: async (value) => value,
  forModel: async (value) => value,
  swept: async (value) => value,
  forReader: async (value) => value,
  streamForModel: () => UNCHANGED,
  streamForReader: () => UNCHANGED,
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
