import type { Detection } from '../detection/detection.ts';
import { PII_TYPES, type SchemaHint } from '../detection/detector.ts';
import { createSeenTexts } from '../detection/documents/seen-texts.ts';
import { PiiError } from '../errors.ts';
import { isLeaf } from '../json-walk.ts';
import { mayHavePlaceholder, readPlaceholders } from '../placeholder.ts';
import type { AuditSink } from '../policy/audit.ts';
import { DERIVATIONS, type Derivation, type PiiPolicy } from '../policy/policy.ts';
import { inSlices, PART_ITEMS, type Steps } from '../slices.ts';
import type { Vault } from '../vault/vault.ts';
import { withoutBinary } from './containers/binary-content.ts';
import { throughLists } from './containers/byte-lists.ts';
import { compressedFindings, withFindings } from './containers/compressed-content.ts';
import type { Found, Look } from './encoded-values.ts';
import { inheritedSources } from './inherited-sources.ts';
import { createKnownValueRedactor } from './known-value-redactor.ts';
import { type AnswerBudget, createAnswerBudget } from './programs/answer-budget.ts';
import { type Computed, compute, type Expression } from './programs/compute.ts';
import { derive, derivePlain } from './programs/derive.ts';
import { conditionOf, match } from './programs/match.ts';
import { NO_PROGRAM_VALUES, openProgramValues, type ProgramValues } from './programs/program-values.ts';
import {
  age,
  agePlain,
  equal,
  equalPlain,
  order,
  orderPlain,
  type TransformOptions,
  transform,
  transformPlain,
} from './programs/transform.ts';
import { type FoundAt, redactFindings } from './redact.ts';
import { hasNoCandidate, NOTHING_WRITTEN, type RestoreOptions, restore, restoreAs } from './restore.ts';
import { type RedactStream, redactStream } from './streams/redact-stream.ts';
import { type RestoreStream, restoreStream } from './streams/restore-stream.ts';

/** Answers to questions of programs about values. */
interface ValueAnswers {
  /** Returns for each text whether it fulfils a condition; see `match`. Raises `INVALID_ARGUMENTS` for another condition. */
  match(texts: readonly unknown[], condition: unknown): Promise<boolean[]>;
  /** Computes texts from values and returns placeholders of them; see `transform`. */
  transform(values: readonly unknown[], names: readonly unknown[]): Promise<(string | null)[]>;
  /** Returns the ranks of values in the order of their transformed texts; see `order`. */
  order(values: readonly unknown[], names: readonly unknown[]): Promise<(number | null)[]>;
  /** Returns the ages of dates of birth at a date; see `age`. */
  age(values: readonly unknown[], on: unknown): Promise<(number | null)[]>;
  /** Returns whether two values are equal; see `equal`. */
  equal(a: unknown, b: unknown, ignoresCase: boolean): Promise<boolean>;
  /** Computes an ordinary expression for the values of placeholders of one type, by their names; see `compute`. */
  compute(names: readonly string[], expression: Expression): Promise<readonly Computed[]>;
}

/**
 * Redacts and restores values between the tools, the programs and the model of one session. All methods except those of
 * {@link NO_REDACTION} reject if a value cannot be redacted or restored. The error is `STORE_UNAVAILABLE`,
 * `VAULT_LOCKED`, `VAULT_CORRUPT`, `PII_LIMIT`, or that of a detector. Show and send nothing then.
 */
export interface Redactor extends ValueAnswers {
  /**
   * Returns the arguments for a tool, with values in place of placeholders. Raises `UNKNOWN_PLACEHOLDER` and `PII_DENIED`:
   * do not call the tool then.
   */
  restoreArguments(args: Arguments, to: Recipient): RestoredArguments | Promise<RestoredArguments>;
  /** Returns a tool result, or the text of its error, in the form for the program and in the form for the journal. */
  redactResult(
    answer: unknown,
    from: Source,
  ): Promise<{ readonly guestValue: unknown; readonly journalValue: unknown }>;
  /** Whether programs receive values of some servers in plain text. Then {@link redactForJournal} changes them. */
  readonly givesValues: boolean;
  /** Returns a value of a program in the form for the journal. */
  redactForJournal<T>(value: T): Promise<T>;
  /** Redacts a value for a model: values become placeholders, placeholders stay. */
  redact<T>(value: T): Promise<T>;
  /** Redacts only values that the session knows, as in descriptions of tools. */
  redactKnown<T>(value: T): Promise<T>;
  /** Restores a value for `reader`. The policy and the audit treat the reader as a tool. */
  restoreFor<T>(value: T, reader: string): Promise<T>;
  /** Restores a value for a person: a placeholder that is unknown, or that the policy denies, stays. The others are restored. */
  showTo<T>(value: T, reader: string): Promise<T>;
  /** Redacts a text that arrives in pieces; see {@link redact}. */
  redactStream(): RedactStream;
  /** Restores a text that arrives in pieces; see {@link restoreFor}. */
  restoreStreamFor(reader: string): RestoreStream;
  /** Derives properties of the values of placeholders; see `derive`. Raises `INVALID_ARGUMENTS` for other texts. */
  derive(placeholders: readonly unknown[], derivation: unknown): Promise<(string | number | null)[]>;
  /** Opens the values of one program. */
  programValues(): ProgramValues;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments with values in place of placeholders. */
export interface RestoredArguments {
  readonly args: Arguments;
  /** Each restored text and key, with its form before. */
  readonly written: ReadonlyMap<string, string>;
}

/** The tool that receives values, `server__tool`, and its server. */
export interface Recipient {
  readonly tool: string;
  readonly server: string;
  /** The tool sends nothing: placeholders whose values the rules do not allow stay as they are. */
  readonly isLocal?: boolean | undefined;
}

/** The server that returned a result, and the output schema of its tool. */
export interface Source {
  readonly server: string;
  readonly schema?: unknown;
  /** The tool returns only data of its arguments: placeholders in its result are those of the program. */
  readonly isLocal?: boolean | undefined;
}

export interface RedactorOptions {
  readonly vault: Vault;
  readonly detection: Detection;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  /** Counts the answers about values. Default: one of this redactor. */
  readonly budget?: AnswerBudget;
  /** Types that are not redacted. */
  readonly ignored: ReadonlySet<string>;
  /** Servers whose values programs receive in plain text. Models never do. */
  readonly clear: ReadonlySet<string>;
  /** Receives the number of findings by type. */
  readonly onFound?: (type: string, count: number) => void;
}

/** Opens the redactor of a session. */
export function openRedactor(options: RedactorOptions): Redactor {
  const { vault, detection, policy, audit, ignored, clear, onFound } = options;
  const { budget = createAnswerBudget({ user: vault.owner.user }) } = options;
  const types = new Set([...PII_TYPES, ...detection.types()]);
  const answering = { vault, types, policy, audit, budget };
  const seen = createSeenTexts();
  // A forgotten value stays nowhere in this process.
  const knownValueRedactor = createKnownValueRedactor(vault, { onForgotten: seen.clear });
  const inherited = inheritedSources(vault, knownValueRedactor);
  const lookAnywhere: Look = async (text) => [
    ...(await detection.detectText(text)),
    ...(await knownValueRedactor.look(text)),
  ];
  const find = async (value: unknown, schema?: unknown) => {
    const found = await detection.detectValue(value, { seen, schema: hintsOf(schema) });
    const all = withFindings(found, await compressedFindings(value, lookAnywhere));
    return all.length === 0 ? all : inSlices(wantedSteps(all, ignored, onFound));
  };
  const searchedKnown = async <T>(value: T): Promise<T> =>
    (await (typeof value === 'string' ? knownValueRedactor.text(value) : knownValueRedactor.json(value))) as T;
  const redactKnown = async <T>(value: T): Promise<T> => {
    const searched = await withoutBinary(value);
    return searched.putBack(await searchedKnown(searched.value));
  };
  const look: Look = async (text) => (await detection.detectText(text)).filter(({ type }) => !ignored.has(type));
  const found = async <T>(value: T): Promise<T> =>
    (await redactFindings(value, await find(value), { vault, types, placeholders: 'kept', look })) as T;
  const redactLists = async (value: unknown): Promise<unknown> => {
    const searched = await withoutBinary(value);
    return searched.putBack(await searchedKnown(await found(searched.value)));
  };
  const redact = async <T>(value: T): Promise<T> =>
    (await (detection.isPlain(value, { seen }) ? searchedKnown(value) : throughLists(value, redactLists))) as T;
  const redactAnswer = async (answer: unknown, { server, schema, isLocal }: Source): Promise<unknown> => {
    const placeholders = isLocal ? ('kept' as const) : ('escaped' as const);
    const from = { vault, types, look, source: server, placeholders, ...(policy.flows ? { inherited } : {}) } as const;
    const searched = await withoutBinary(answer);
    const findings = await find(searched.value, schema);
    const detected = await redactFindings(searched.value, findings, from);
    // A value in another spelling is the same value: the spelling is added to its record.
    const known = await knownValueRedactor.findings(detected, { isRecent: findings.length > 0 });
    const redacted =
      known.length > 0
        ? await redactFindings(detected, known, { ...from, placeholders: 'kept', look: knownValueRedactor.look })
        : detected;
    return searched.putBack(redacted);
  };

  return {
    restoreArguments: (args, to) =>
      hasNoCandidate(args) ? { args, written: NOTHING_WRITTEN } : restoreArguments(args, { ...answering, ...to }),
    async redactResult(answer, source) {
      const isPlain = detection.isPlain(answer, { seen, schema: hintsOf(source.schema) });
      if (isPlain && (knownValueRedactor.isEmpty() || (await knownValueRedactor.findings(answer)).length === 0))
        return { guestValue: answer, journalValue: answer };
      const journalValue = await throughLists(answer, (value) => redactAnswer(value, source));
      return { guestValue: clear.has(source.server) ? answer : journalValue, journalValue };
    },
    // Without clear servers, a program has no values and cannot return any.
    givesValues: clear.size > 0,
    redactForJournal: async (value) => (clear.size > 0 ? redact(value) : value),
    redact,
    redactKnown,
    async restoreFor(value, reader) {
      return (await restore(value, { vault, types, policy, audit, tool: reader, server: reader })) as never;
    },
    async showTo(value, reader) {
      const options = { vault, types, policy, audit, tool: reader, server: reader, isShown: true };
      return (await restore(value, options)) as never;
    },
    redactStream: () => redactStream({ find: detection.detectText, redact, knownValues: knownValueRedactor.stream() }),
    restoreStreamFor: (reader) => restoreStream({ vault, types, policy, audit, tool: reader, server: reader }),
    async derive(placeholders, derivation) {
      const names = placeholders.map((text) => nameOf(text, types));
      return derive(names, derivationOf(derivation), { vault, policy, audit });
    },
    ...answers(answering),
    programValues: () => openProgramValues(answering),
  };
}

/** Restores arguments, also in lists of bytes. */
async function restoreArguments(args: Arguments, options: RestoreOptions): Promise<RestoredArguments> {
  let written: RestoredArguments['written'] = new Map();
  const restoreTexts = async (value: unknown) => {
    const restoration = await restoreAs(value, options);
    written = restoration.written;
    return restoration.restored;
  };
  return { args: (await throughLists(args, restoreTexts, mayHavePlaceholder)) as Arguments, written };
}

/** Returns the methods that answer programs. */
function answers(options: TransformOptions): ValueAnswers {
  return {
    match: (texts, condition) => match(texts, condition, options),
    transform: (values, names) => transform(values, names, options),
    order: (values, names) => order(values, names, options),
    age: (values, on) => age(values, on, options),
    equal: (a, b, ignoresCase) => equal(a, b, ignoresCase, options),
    compute: (names, expression) => compute(names, expression, options),
  };
}

/** Returns the findings without spans of ignored types, and reports the others. */
function* wantedSteps<F extends FoundAt>(
  findings: readonly F[],
  ignored: ReadonlySet<string>,
  onFound: RedactorOptions['onFound'],
): Steps<F[]> {
  const wanted: F[] = [];
  let count = 0;
  for (const finding of findings) {
    const spans: Found[] = [];
    for (const span of finding.spans) {
      if (++count % PART_ITEMS === 0) yield;
      if (ignored.has(span.type)) continue;
      spans.push(span);
      onFound?.(span.type, 1);
    }
    if (spans.length > 0) wanted.push(spans.length === finding.spans.length ? finding : { ...finding, spans });
  }
  return wanted;
}

const UNCHANGED = { push: async (piece: string) => piece, end: async () => '' };

/** A redactor that returns everything unchanged. */
export const NO_REDACTION: Redactor = {
  restoreArguments: async (args) => ({ args, written: new Map() }),
  redactResult: async (answer) => ({ guestValue: answer, journalValue: answer }),
  givesValues: false,
  redactForJournal: async (value) => value,
  redact: async (value) => value,
  redactKnown: async (value) => value,
  restoreFor: async (value) => value,
  showTo: async (value) => value,
  redactStream: () => UNCHANGED,
  restoreStreamFor: () => UNCHANGED,
  async derive(values, derivation) {
    return derivePlain(values.map(textOf), derivationOf(derivation));
  },
  async match(texts, condition) {
    const holds = conditionOf(condition);
    return texts.map((text) => isLeaf(text) && holds(String(text)));
  },
  transform: transformPlain,
  order: orderPlain,
  age: async (values, on) => agePlain(values, on),
  equal: async (a, b, ignoresCase) => equalPlain(a, b, ignoresCase),
  compute: async (names) => names.map(() => null),
  programValues: () => NO_PROGRAM_VALUES,
};

function hintsOf(schema: unknown): SchemaHint | undefined {
  return typeof schema === 'object' && schema !== null ? schema : undefined;
}

function textOf(value: unknown): string {
  if (isLeaf(value)) return String(value);
  throw new PiiError('INVALID_ARGUMENTS', 'pii.derive accepts a text, or a list of texts.');
}

function nameOf(text: unknown, types: ReadonlySet<string>): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  const [only] = readPlaceholders(trimmed, types);
  if (only?.escapes === 0 && only.start === 0 && only.end === trimmed.length) return only.name;
  const message =
    'pii.derive accepts a placeholder such as "[EMAIL_1]" that a tool returned, or a list of placeholders.';
  throw new PiiError('INVALID_ARGUMENTS', message);
}

function derivationOf(word: unknown): Derivation {
  const known = DERIVATIONS.find((derivation) => derivation === word);
  if (known) return known;
  const message = `pii.derive does not support ${JSON.stringify(word) ?? 'undefined'}. Use one of: ${DERIVATIONS.join(', ')}.`;
  throw new PiiError('INVALID_ARGUMENTS', message);
}
