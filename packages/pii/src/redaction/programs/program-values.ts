import type { AuditSink } from '../../policy/audit.ts';
import { mayDerive, type PiiPolicy } from '../../policy/policy.ts';
import { inSlices, mapInSlices, PART_ITEMS, pauseIfSpent, type Steps } from '../../slices.ts';
import { isTransformed } from '../../vault/canonical.ts';
import type { Known, Vault } from '../../vault/vault.ts';
import { createShownValues, encodedNameSteps, mayHaveNames, nameSteps, namesInValueSteps } from '../shown-values.ts';
import { type OtherTexts, standInTexts, valueTexts } from '../value-texts.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { countGuesses, echoedNames, matchAudit } from './guesses.ts';
import { createLiteralShapes } from './literals.ts';

/** The values behind the placeholders that one program received, and the literals of its text. */
export interface ProgramValues {
  /** Adds literals of the program: its texts, and its numbers as texts. They are read with the first placeholder. The first 2,000 count. */
  addLiterals(read: ReadLiterals): void;
  /**
   * Returns a text or JSON text for the program. A value that equals a literal of the program is shown: its author knows the value, and
   * the program can compare with it. All other placeholders stay. Each shown value is audited; a session shows at most 1,000.
   * With `isOwn`, the text is from the program, such as a file: its placeholders did not come together from one tool.
   */
  reveal(text: string, isOwn?: boolean): string | Promise<string>;
  /** Returns a text of the program with placeholders in place of the values that {@link reveal} has shown. */
  conceal(text: string): string | Promise<string>;
  /** Returns a JSON value of the program with placeholders in place of the shown values. */
  concealValue(value: unknown): unknown;
  /** Counts the values in the redacted output of the program that it did not receive: it guessed them. See `countGuesses`. */
  countGuesses(output: unknown): Promise<void>;
  /** Counts the values of a tool's result that the program wrote into its arguments: it compares them with others. */
  countEchoes(args: unknown, result: string): Promise<void> | undefined;
  /** Returns whether the program received all of these placeholders together, in the last text of a tool with any of them. */
  cameTogether(placeholders: readonly unknown[]): boolean;
  /** Returns the names of the placeholders of one type that the program received last in the same text as this one, which is among them. */
  receivedWith(name: string): readonly string[];
  /** Whether the program received placeholders of values that were not shown. */
  hasPlaceholders(): boolean;
  /** Opens texts with stand-ins in place of the placeholders; see `standInOf`. */
  standIns(): Promise<OtherTexts>;
  /** Opens the values themselves, to check a program with them. Undefined if its values have answered as much as they may. */
  openCheck(program: string): Promise<ValueCheck | undefined>;
  /** Returns the shapes of the literals that are compared with no value, because there are too many of them. */
  refusedLiterals(): readonly string[];
  /** Returns the placeholders of values whose types the policy does not allow to compare. */
  barredPlaceholders(): Promise<BarredPlaceholders>;
}

type ReadLiterals = () => Iterable<string> | Promise<Iterable<string>>;

/** Names of placeholders whose values the policy does not allow to compare. */
export interface BarredPlaceholders {
  readonly names: readonly string[];
  /** Those whose value has several spellings, or was computed from another one. */
  readonly spelled: readonly string[];
  /** Those whose value was a JSON number. */
  readonly numeric: readonly string[];
}

/** A check of a program with the values that it received. */
export interface ValueCheck extends OtherTexts {
  /** Counts and audits the answer of the check; `undefined` for none. Returns whether the program may have it. */
  end(isDifferent: boolean | undefined): Promise<boolean>;
}

export interface ProgramValuesOptions {
  readonly vault: Vault;
  readonly types: ReadonlySet<string>;
  readonly budget: AnswerBudget;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
}

/** Values that the programs of one session may see because they have a literal of them. */
const MAX_SHOWN_VALUES = 1_000;
/** Literals that the programs of one session may compare with values. */
const MAX_COMPARED_LITERALS = 10_000;
/** Texts that are values: with an at sign, a digit, or a capital letter first. Other literals are words of the program. */
const LIKE_VALUE = /[@\d]|^[\p{Lu}\p{Lo}]/u;
/** Literals that are compared with values, the first ones of a program. */
const MAX_LITERALS = 2_000;
/** Values of one program that are remembered. */
const MAX_RECORDS = 100_000;
/** Literals with other characters would need escapes in JSON. */
const PLAIN = /^[^"\\\p{Cc}]+$/u;

/** Opens the values of one program. */
export function openProgramValues({ vault, types, policy, audit, budget }: ProgramValuesOptions): ProgramValues {
  const literals = createLiterals();
  const records = new Map<string, Known>();
  const { steps: readSteps, ...together } = createReceived((name) => records.has(name));
  let counted = 0;
  const literalShapes = createLiteralShapes(budget);
  const shown = createShownValues();
  const record = matchAudit(vault, audit);
  const isShown = (text: string) => LIKE_VALUE.test(text) && literals.all.has(text) && !literalShapes.isRefused(text);
  /** Returns the text of a value that may be shown. */
  const shownText = ({ type, spellings }: Known) =>
    mayDerive(policy, type, 'match') ? spellings.find(({ text }) => isShown(text))?.text : undefined;
  const show = async (known: Known, text: string) => {
    await pauseIfSpent();
    if (!(await countOnce(vault, ['shown', known.name], 1, MAX_SHOWN_VALUES))) return;
    await record(known);
    shown.add(known.name, { text, isNumber: known.numeric });
  };
  /** Whether the session may compare the literals of this program. Each counts, whether a value equals it or not. */
  const mayShow = async () => {
    await literals.read();
    const compared = [...literals.all].filter((text) => LIKE_VALUE.test(text));
    const added = compared.length - counted;
    if (added > 0) await literalShapes.admit(literals.all);
    counted += added;
    return compared.length > 0 && countOnce(vault, ['literals', ...compared], added, MAX_COMPARED_LITERALS);
  };
  const remember = async (names: readonly string[]) => {
    const found = [...(await vault.find(names)).values()];
    await mapInSlices(found, (known) => records.set(known.name, known));
    if (!(await mayShow())) return;
    const showable = await mapInSlices(found, (known) => ({ known, text: shownText(known) }));
    for (const { known, text } of showable) if (text !== undefined) await show(known, text);
  };
  /** Later results may have added spellings to the records. */
  const current = async () => vault.find([...records.keys()]);

  const revealNames = async (text: string, isOwn: boolean) => {
    const names = await inSlices(readSteps(text, isOwn));
    if (names.length > 0 && records.size < MAX_RECORDS) await remember(names);
    return shown.reveal(text);
  };
  const countNames = async (args: unknown, result: string) => {
    const hidden = [...(await inSlices(namesIn(result)))].filter((name) => !shown.has(name));
    const returned = new Map(hidden.flatMap((name) => records.get(name) ?? []).map((known) => [known.name, known]));
    if (returned.size > 0) await countGuesses(await echoedNames(args, returned), { vault, budget, record });
  };
  return {
    addLiterals: literals.add,
    reveal: (text, isOwn = false) => (mayHaveNames(text) ? revealNames(text, isOwn) : text),
    conceal: shown.conceal,
    concealValue: shown.concealValue,
    async countGuesses(output) {
      if (vault.isEmpty()) return;
      const names = [...(await inSlices(namesInValueSteps(output)))].filter((name) => !records.has(name));
      await countGuesses(names, { vault, budget, record });
    },
    countEchoes: (args, result) => (result.includes('[') ? countNames(args, result) : undefined),
    ...together,
    hasPlaceholders: () => records.size > 0 && records.size > shown.size(),
    standIns: async () => standInTexts(await current(), types, policy),
    async openCheck(program) {
      const hidden = [...records.values()].filter(
        (one) => !shown.has(one.name) && mayDerive(policy, one.type, 'match'),
      );
      if (!(await budget.mayCheck(hidden))) return undefined;
      return {
        ...valueTexts(await current(), types, policy),
        async end(isDifferent) {
          const may = await budget.checked(hidden, program, isDifferent);
          if (may && isDifferent !== false) await Promise.all(await mapInSlices(hidden, (known) => record(known)));
          return may;
        },
      };
    },
    refusedLiterals: literalShapes.refused,
    barredPlaceholders: async () => barredNames(await current(), policy),
  };
}

/** Creates the literals of a program. They are read when they are first compared. */
function createLiterals() {
  const all = new Set<string>();
  let unread: ReadLiterals[] = [];
  let reading = Promise.resolve();
  return {
    all,
    add: (read: ReadLiterals) => void unread.push(read),
    /** Resolves when all added ones are read. Texts that arrive at once wait for the same literals. */
    read(): Promise<void> {
      const added = unread;
      unread = [];
      reading = reading.then(async () => {
        for (const read of added)
          for (const text of await read()) if (all.size < MAX_LITERALS && PLAIN.test(text)) all.add(text);
      });
      return reading;
    },
  };
}

/**
 * Counts something in a session: again, it costs nothing, so a program may repeat. Returns whether the session has not reached the maximum of the
 * counter.
 */
async function countOnce(
  vault: Vault,
  [counter = '', ...counted]: readonly string[],
  amount: number,
  max: number,
): Promise<boolean> {
  const isFull = (await vault.count(counter, 0)) >= max;
  const times = await vault.count(JSON.stringify([counter, ...counted]), isFull ? 0 : 1);
  return times > 1 || (times === 1 && (await vault.count(counter, amount)) <= max);
}

function* namesIn(result: Parameters<typeof nameSteps>[0]): Steps<Set<string>> {
  const names = new Set<string>();
  yield* nameSteps(result, names);
  return names;
}

function barredNames(records: ReadonlyMap<string, Known>, policy: PiiPolicy): BarredPlaceholders {
  const barred = [...records.values()].filter(({ type }) => !mayDerive(policy, type, 'match'));
  const namesOf = (known: readonly Known[]) => known.map(({ name }) => name);
  return {
    names: namesOf(barred),
    spelled: namesOf(barred.filter(({ spellings, canonical }) => spellings.length > 1 || isTransformed(canonical))),
    numeric: namesOf(barred.filter(({ numeric }) => numeric)),
  };
}

/** Notes which placeholders came together in a text. */
function createReceived(isRemembered: (name: string) => boolean) {
  /** The number of the last text that had a placeholder. */
  const lastText = new Map<string, number>();
  let texts = 0;
  return {
    /** Reads the placeholders of a text. Returns those of values that are not remembered. */
    *steps(text: string, isOwn: boolean): Steps<string[]> {
      const names = new Set<string>();
      yield* nameSteps(text, names);
      yield* encodedNameSteps(text, names);
      const number = ++texts;
      const unknown: string[] = [];
      for (const name of names) {
        if (!isOwn && (lastText.size < MAX_RECORDS || lastText.has(name))) lastText.set(name, number);
        if (!isRemembered(name)) unknown.push(name);
        if (lastText.size % PART_ITEMS === 0) yield;
      }
      return unknown;
    },
    receivedWith(name: string): readonly string[] {
      const number = lastText.get(name);
      if (number === undefined) return [name];
      const type = name.replace(/_\d+$/, '');
      const names = [...lastText].filter(([other, last]) => last === number && other.replace(/_\d+$/, '') === type);
      return names.map(([other]) => other);
    },
    /** Returns whether all of these placeholders were in one text last. */
    cameTogether(placeholders: readonly string[]): boolean {
      const numbers = placeholders.map((text) => lastText.get(String(text).slice(1, -1)));
      return new Set(numbers).size <= 1 && !numbers.includes(undefined);
    },
  };
}

const UNCHANGED: OtherTexts = { sent: async (text) => text, received: async (text) => text, hasSpellings: () => false };

/** The values of a program without redaction. */
export const NO_PROGRAM_VALUES: ProgramValues = {
  addLiterals: () => undefined,
  reveal: (text) => text,
  conceal: (text) => text,
  concealValue: (value) => value,
  countGuesses: async () => undefined,
  countEchoes: () => undefined,
  cameTogether: () => true,
  receivedWith: (name) => [name],
  hasPlaceholders: () => false,
  standIns: async () => UNCHANGED,
  openCheck: async () => undefined,
  refusedLiterals: () => [],
  barredPlaceholders: async () => ({ names: [], spelled: [], numeric: [] }),
};
