import { mapInSlices } from '../../slices.ts';
import { plainForm, plainOriginal } from '../../vault/canonical.ts';
import { type Keyring, newKeyring } from '../../vault/keys/master-key.ts';
import { createKey, KEY_ENTRY, namespaceOf, openKey, type SessionKey } from '../../vault/keys/session-key.ts';
import { memoryStore } from '../../vault/memory-store.ts';
import type { Known } from '../../vault/records/record.ts';
import type { Lifetime, Store } from '../../vault/store.ts';

/** Answers about one value that the programs of a user may get in a year: different conditions, and checks that find a difference. */
export const MAX_ANSWERS = 20;
/**
 * The price of an answer, and of a check that finds no difference, in tenths of a bit. A check without a warning is the usual case, so it
 * reveals little. A warning is rare: it reveals log2(1 / 6 %) bits. With these prices, no series of checks reveals more than the budget.
 */
const ANSWER = 40;
const IDENTICAL = 1;
const MAX_SPENT = MAX_ANSWERS * ANSWER;
/** Different literals of one shape that the programs of a user may compare with values in a year. */
const MAX_LITERALS = 2_000;

/** The session of a user that no program has. Its key makes the names of the entries, and its namespace has them. */
const SESSION = '\u0000answers';
const YEAR: Lifetime = { maxMs: 365 * 24 * 60 * 60 * 1_000 };
/** Characters of the hash of a condition: two of 20 conditions share one with a chance of 10⁻⁹. */
const CONDITION_CHARACTERS = 6;
/** Characters of the month in an ISO date. */
const MONTH_CHARACTERS = 7;
/** Digits of a phone number without its country and trunk prefix. */
const PHONE_DIGITS = 8;

/** Counts the bits that answers reveal about each value, for all sessions and processes of a user and all spellings of the value. */
export interface AnswerBudget {
  /**
   * Charges a comparison of values with a condition. A condition that was answered before costs nothing. Returns a value that may not be
   * compared any more; then nothing is charged.
   */
  compare(values: readonly Known[], condition: string): Promise<Known | undefined>;
  /** Returns whether a program with these values may be checked with them. */
  mayCheck(values: readonly Known[]): Promise<boolean>;
  checked(values: readonly Known[], isDifferent: boolean): Promise<void>;
  /** Charges literals of one shape. Returns whether they may be compared. Literals that were compared before cost nothing. */
  compareLiterals(shape: string, literals: readonly string[]): Promise<boolean>;
  /** Adds to a counter of this month, and returns its sum. */
  count(counter: string, amount: number): Promise<number>;
}

export interface AnswerBudgetOptions {
  readonly user: string;
  /** Opens the store of the counts and the keys that seal it, on first use. Default: memory. */
  readonly open?: () => { readonly store: Store; readonly keys: Keyring };
}

function openMemory(): NonNullable<AnswerBudgetOptions['open']> {
  let opened: ReturnType<NonNullable<AnswerBudgetOptions['open']>> | undefined;
  return () => {
    opened ??= { store: memoryStore(), keys: newKeyring() };
    return opened;
  };
}

/** The amount that was spent on a value, and the hashes of its conditions. */
interface Account {
  readonly spent: number;
  readonly conditions: string;
}

/** Creates the budget of a user. */
export function createAnswerBudget({ user, open = openMemory() }: AnswerBudgetOptions): AnswerBudget {
  const owner = { user, session: SESSION };
  const namespace = namespaceOf(owner);
  const session = sessionOpener(owner, namespace, open);
  /** Reads the accounts of values, and writes those that `change` returns. Returns the keys of the values, and of the accounts. */
  const update = async (
    values: readonly Known[],
    change: (accounts: readonly Account[]) => readonly (Account | undefined)[] | undefined,
  ) => {
    const { indexOf } = await session();
    const { store } = open();
    const ofValues = await mapInSlices(values, (known) => `v${indexOf('', false, spelledAlike(known))}`);
    const distinct = [...new Set(ofValues)];
    for (;;) {
      const before = await store.get(namespace, distinct);
      const changed = change(before.map(accountOf)) ?? [];
      const changes = changed.flatMap((account, index) =>
        account ? [{ key: distinct[index] ?? '', value: textOf(account), was: before[index] ?? null }] : [],
      );
      // Another process may have charged the same value.
      if (changes.length === 0 || !(await store.put(namespace, changes)).includes(false)) return { ofValues, distinct };
    }
  };

  return {
    async compare(values, condition) {
      const { indexOf } = await session();
      const hash = indexOf('condition', false, condition).slice(0, CONDITION_CHARACTERS);
      let refused = -1;
      const keys = await update(values, (accounts) => {
        const charged = accounts.map((account) =>
          hasCondition(account, hash) ? undefined : withCondition(account, hash),
        );
        refused = charged.findIndex((account) => account !== undefined && account.spent > MAX_SPENT);
        return refused < 0 ? charged : undefined;
      });
      return refused < 0 ? undefined : values.find((_, index) => keys.ofValues[index] === keys.distinct[refused]);
    },
    async mayCheck(values) {
      let may = true;
      await update(values, (accounts) => {
        may = accounts.every(({ spent }) => spent + ANSWER <= MAX_SPENT);
        return undefined;
      });
      return may;
    },
    async checked(values, isDifferent) {
      const price = isDifferent ? ANSWER : IDENTICAL;
      await update(values, (accounts) =>
        accounts.map(({ spent, conditions }) => ({ spent: spent + price, conditions })),
      );
    },
    async compareLiterals(shape, literals) {
      if (literals.length === 0) return true;
      const { indexOf } = await session();
      const { store } = open();
      const keys = literals.map((text) => `l${indexOf(shape, false, plainForm(text))}`);
      const found = await store.get(namespace, keys);
      const added = keys.filter((_, index) => found[index] === undefined);
      const sums = await store.increment(namespace, { [`literals ${shape}`]: added.length });
      if ((sums[`literals ${shape}`] ?? 0) > MAX_LITERALS) return false;
      await store.put(
        namespace,
        added.map((key) => ({ key, value: '' })),
      );
      return true;
    },
    async count(counter, amount) {
      await session();
      const key = `${counter} ${new Date().toISOString().slice(0, MONTH_CHARACTERS)}`;
      return (await open().store.increment(namespace, { [key]: amount }))[key] ?? 0;
    },
  };
}

/** Returns a function that opens the key of the counts once. A failure is forgotten. */
function sessionOpener(
  owner: { readonly user: string; readonly session: string },
  namespace: string,
  open: NonNullable<AnswerBudgetOptions['open']>,
): () => Promise<SessionKey> {
  let opened: Promise<SessionKey> | undefined;
  const openSession = async (): Promise<SessionKey> => {
    const { store, keys } = open();
    const [found] = await store.get(namespace, [KEY_ENTRY]);
    const wrapped = found ?? (await createKey(store, owner, keys, { resumed: false, lifetime: YEAR }));
    return openKey(wrapped, owner, keys);
  };
  return () => {
    opened ??= openSession();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
}

/** Returns a form that all spellings of a value have. */
function spelledAlike({ type, canonical }: Known): string {
  const form = plainOriginal(canonical);
  return type === 'PHONE' ? form.slice(-PHONE_DIGITS) : form;
}

function accountOf(entry: Buffer | undefined): Account {
  const [spent = '0', conditions = ''] = (entry?.toString() ?? '').split(' ');
  return { spent: Number(spent), conditions };
}

function textOf({ spent, conditions }: Account): string {
  return `${spent} ${conditions}`;
}

function hasCondition({ conditions }: Account, hash: string): boolean {
  for (let at = 0; at < conditions.length; at += CONDITION_CHARACTERS) if (conditions.startsWith(hash, at)) return true;
  return false;
}

function withCondition({ spent, conditions }: Account, hash: string): Account {
  return { spent: spent + ANSWER, conditions: conditions + hash };
}
