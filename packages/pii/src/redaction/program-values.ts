import type { Span } from '../detection/detector.ts';
import { type Leaf, visitSteps } from '../json-walk.ts';
import type { AuditSink } from '../policy/audit.ts';
import { mayDerive, type PiiPolicy } from '../policy/policy.ts';
import { inSlices, mapInSlices } from '../slices.ts';
import type { Known, Vault } from '../vault/vault.ts';
import { countGuesses, matchAudit } from './guesses.ts';
import { createShownValues } from './shown-values.ts';
import { standInOf } from './stand-in.ts';
import { type Unmatched, unmatchedLiterals } from './unmatched.ts';
import { namesIn, type Written, writeEncodedTexts } from './written-placeholders.ts';

/** The values behind the placeholders that one program received, and the literals of its text. */
export interface ProgramValues {
  /** Adds literals of the program: its texts, and its numbers as texts. The first 2,000 count. */
  addLiterals(literals: Iterable<string>): void;
  /**
   * Returns a text or JSON text for the program. A value that equals a literal of the program is shown: its author knows the value, and
   * the program can compare with it. All other placeholders stay. Each shown value is audited; a session shows at most 1,000.
   */
  reveal(text: string): Promise<string>;
  /** Returns a text of the program with placeholders in place of the values that {@link reveal} has shown. */
  conceal(text: string): string;
  /** Returns a JSON value of the program with placeholders in place of the shown values. */
  concealValue(value: unknown): Promise<unknown>;
  /** Notes texts that the program passes on, such as arguments of tools and conditions: they need no warning. */
  noteUse(value: unknown): Promise<void>;
  /**
   * Counts the values of tools in the redacted output of the program that it did not receive: it guessed them. A session may guess
   * 1,000 values; more raise `PII_DENIED`. Each is audited.
   */
  countGuesses(output: unknown): Promise<void>;
  /** Returns whether the program received all of these placeholders together, in its last text with any of them. */
  cameTogether(placeholders: readonly unknown[]): boolean;
  /** Whether the program received placeholders of values that were not shown. */
  hasPlaceholders(): boolean;
  /** Returns a function that writes stand-ins in place of the placeholders of a text; see `standInOf`. */
  standIns(): (text: string) => string;
  /** Returns the literals that the program compares in vain. */
  unmatched(): Promise<Unmatched[]>;
}

export interface ProgramValuesOptions {
  readonly vault: Vault;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  readonly detectText: (text: string) => Promise<readonly Span[]>;
}

/** Values that the programs of one session may see because they have a literal of them. */
const MAX_SHOWN_VALUES = 1_000;
/** Literals that are compared with values, the first ones of a program. */
const MAX_LITERALS = 2_000;
/** Values of one program that are remembered. */
const MAX_RECORDS = 100_000;
/** Keys of objects are searched in so many characters of a text: those of a list repeat. */
const KEYS_CHARACTERS = 16_384;
const KEY = /"([^"\\]{1,64})\\*":/g;
/** Literals with other characters would need escapes in JSON. */
const PLAIN = /^[^"\\\p{Cc}]+$/u;

/** Opens the values of one program. */
export function openProgramValues({ vault, policy, audit, detectText }: ProgramValuesOptions): ProgramValues {
  const literals = new Set<string>();
  const used = new Set<string>();
  const records = new Map<string, Known>();
  /** The number of the last text that had a placeholder. */
  const lastText = new Map<string, number>();
  let texts = 0;
  const shown = createShownValues();

  const record = matchAudit(vault, audit);
  const show = async (known: Known) => {
    const { name, type, numeric, spellings } = known;
    const text = spellings.find((spelling) => literals.has(spelling.text))?.text;
    if (text === undefined || !mayDerive(policy, type, 'match')) return;
    if ((await vault.count('shown', 1)) > MAX_SHOWN_VALUES) return;
    record(known);
    shown.add(name, { text, isNumber: numeric });
  };
  const remember = async (names: readonly string[]) => {
    const found = [...(await vault.find(names)).values()];
    await mapInSlices(found, (known) => records.set(known.name, known));
    for (const known of found) await show(known);
  };

  return {
    addLiterals(texts) {
      for (const text of texts) if (literals.size < MAX_LITERALS && PLAIN.test(text)) literals.add(text);
    },
    async reveal(text) {
      for (const [, key = ''] of text.slice(0, KEYS_CHARACTERS).matchAll(KEY)) if (literals.has(key)) used.add(key);
      const all = [...namesIn(text)];
      texts++;
      for (const name of all) if (lastText.size < MAX_RECORDS || lastText.has(name)) lastText.set(name, texts);
      const names = all.filter((name) => !records.has(name));
      if (names.length > 0 && records.size < MAX_RECORDS) await remember(names);
      return shown.reveal(text);
    },
    conceal: shown.conceal,
    concealValue: shown.concealValue,
    noteUse: (value) => {
      const note = (leaf: Leaf) => void (literals.has(String(leaf)) && used.add(String(leaf)));
      return inSlices(visitSteps(value, { leaf: note }));
    },
    countGuesses: (output) => {
      const names = [...namesIn(JSON.stringify(output) ?? '')].filter((name) => !records.has(name));
      return countGuesses(names, { vault, record });
    },
    cameTogether(placeholders) {
      const numbers = placeholders.map((text) => lastText.get(String(text).slice(1, -1)));
      return new Set(numbers).size <= 1 && !numbers.includes(undefined);
    },
    hasPlaceholders: () => records.size > shown.size(),
    standIns() {
      const made = new Map<string, Written>();
      const standInFor = (name: string) => {
        const known = records.get(name);
        const standIn = made.get(name) ?? (known && standInOf(known, policy, made.size + 1));
        if (standIn) made.set(name, standIn);
        return standIn;
      };
      return (text) => writeEncodedTexts(text, standInFor);
    },
    unmatched() {
      const values = [...records.values()].filter(({ name }) => !shown.has(name));
      return unmatchedLiterals({ literals, used, values, policy, detectText });
    },
  };
}

/** The values of a program without redaction. */
export const NO_PROGRAM_VALUES: ProgramValues = {
  addLiterals: () => undefined,
  reveal: async (text) => text,
  conceal: (text) => text,
  concealValue: async (value) => value,
  noteUse: async () => undefined,
  countGuesses: async () => undefined,
  cameTogether: () => true,
  hasPlaceholders: () => false,
  standIns: () => (text) => text,
  unmatched: async () => [],
};
