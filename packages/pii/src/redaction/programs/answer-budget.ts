import { mapInSlices } from '../../slices.ts';
import { plainForm, plainOriginal } from '../../vault/canonical.ts';
import { type Keyring, newKeyring } from '../../vault/keys/master-key.ts';
import { createKey, KEY_ENTRY, namespaceOf, openKey, type SessionKey } from '../../vault/keys/session-key.ts';
import { memoryStore } from '../../vault/memory-store.ts';
import type { Known } from '../../vault/records/record.ts';
import type { Lifetime, Store } from '../../vault/store.ts';

/** Answers about one value that the programs of a user may get in a year: different conditions, and checks with an unexpected end. */
export const MAX_ANSWERS = 20;
/** The price of an answer, in tenths of a bit. */
const ANSWER = 40;
const MAX_SPENT = MAX_ANSWERS * ANSWER;
const TENTHS = 10;
/**
 * The chance of an unexpected end of a check is taken as 1 in 8, and 1 in n + 8 after n ends as expected. A check costs the bits that its end
 * reveals with this chance. So no series of checks reveals more than the budget, and thousands of ordinary ones cost a few bits together.
 */
const EXPECTED_BEFORE = 8;
/** A difference, or none, and no end. */
const UNEXPECTED_ENDS = 2;
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
   * Charges a comparison of values with a condition, or of each with its own. A condition that was answered before costs nothing. Returns a
   * value that may not be compared any more; then nothing is charged.
   */
  compare(values: readonly Known[], condition: string | readonly string[]): Promise<Known | undefined>;
  /** Returns whether a program with these values may be checked with them. */
  mayCheck(values: readonly Known[]): Promise<boolean>;
  /**
   * Charges a check of a program. Expected is no difference, and for a program whose last unexpected end was a difference, a difference again.
   * `undefined` is a check without an end. Returns whether the program may have the answer; if not, nothing is charged.
   */
  checked(values: readonly Known[], program: string, isDifferent: boolean | undefined): Promise<boolean>;
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

/** The amount that was spent on a value, and the hashes of its conditions, and of programs whose checks find a difference. */
interface Account {
  /** For answers and unexpected ends of checks. */
  readonly spent: number;
  readonly conditions: string;
  /** The number of checks that ended as expected. */
  readonly expected: number;
}

/** The keys of values, and of their accounts. */
interface Keys {
  readonly ofValues: readonly string[];
  readonly distinct: readonly string[];
}

interface Conditions {
  readonly account: Account | undefined;
  readonly hashes: ReadonlySet<string>;
}

/** Creates the budget of a user. */
export function createAnswerBudget({ user, open = openMemory() }: AnswerBudgetOptions): AnswerBudget {
  const owner = { user, session: SESSION };
  const namespace = namespaceOf(owner);
  const session = sessionOpener(owner, namespace, open);
  const update = accountUpdates(session, namespace, open);
  const hashOf = async (kind: string, text: string) =>
    (await session()).indexOf(kind, false, text).slice(0, CONDITION_CHARACTERS);

  return {
    async compare(values, condition) {
      const conditions = typeof condition === 'string' ? [condition] : condition;
      const hashes = await Promise.all(await mapInSlices(conditions, (each) => hashOf('condition', each)));
      let refused = -1;
      const keys = await update(values, (accounts, { ofValues, distinct }) => {
        const ofKeys = new Map(
          distinct.map((key, index) => [key, { account: accounts[index], hashes: new Set<string>() }]),
        );
        for (const [index, key] of ofValues.entries()) ofKeys.get(key)?.hashes.add(hashes[index] ?? hashes[0] ?? '');
        const charged = [...ofKeys.values()].map(withConditions);
        refused = charged.findIndex((account) => account !== undefined && sumOf(account) > MAX_SPENT);
        return refused < 0 ? charged : undefined;
      });
      return refused < 0 ? undefined : values.find((_, index) => keys.ofValues[index] === keys.distinct[refused]);
    },
    async mayCheck(values) {
      let may = true;
      await update(values, (accounts) => {
        may = accounts.every(mayCheck);
        return undefined;
      });
      return may;
    },
    async checked(values, program, isDifferent) {
      const hash = await hashOf('check', program);
      let may = true;
      await update(values, (accounts) => {
        // Other checks may have ended since this one began. The end of this one makes no difference here.
        may = accounts.every(mayCheck);
        return may ? accounts.map((account) => withCheck(account, hash, isDifferent)) : undefined;
      });
      return may;
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

/**
 * Returns a function that reads the accounts of values, and writes those that `change` returns. It returns the keys of the values, and of the
 * accounts.
 */
function accountUpdates(
  session: () => Promise<SessionKey>,
  namespace: string,
  open: NonNullable<AnswerBudgetOptions['open']>,
) {
  return async (
    values: readonly Known[],
    change: (accounts: readonly Account[], keys: Keys) => readonly (Account | undefined)[] | undefined,
  ): Promise<Keys> => {
    const { indexOf } = await session();
    const { store } = open();
    const ofValues = await mapInSlices(values, (known) => `v${indexOf('', false, spelledAlike(known))}`);
    const distinct = [...new Set(ofValues)];
    for (;;) {
      const before = await store.get(namespace, distinct);
      const changed = change(before.map(accountOf), { ofValues, distinct }) ?? [];
      const changes = changed.flatMap((account, index) =>
        account ? [{ key: distinct[index] ?? '', value: textOf(account), was: before[index] ?? null }] : [],
      );
      // Another process may have charged the same value.
      if (changes.length === 0 || !(await store.put(namespace, changes)).includes(false)) return { ofValues, distinct };
    }
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
  const [spent = '0', conditions = '', expected = '0'] = (entry?.toString() ?? '').split(' ');
  return { spent: Number(spent), conditions, expected: Number(expected) };
}

function textOf({ spent, conditions, expected }: Account): string {
  return `${spent} ${conditions} ${expected}`;
}

/** Returns everything that was spent on a value. The prices of the checks that ended as expected have a simple sum. */
function sumOf({ spent, expected }: Account): number {
  return spent + TENTHS * Math.log2((EXPECTED_BEFORE - 1 + expected) / (EXPECTED_BEFORE - 1));
}

function unexpectedPrice({ expected }: Account): number {
  return Math.ceil(TENTHS * Math.log2(UNEXPECTED_ENDS * (EXPECTED_BEFORE + expected)));
}

function mayCheck(account: Account): boolean {
  return sumOf(account) + unexpectedPrice(account) <= MAX_SPENT;
}

/** Returns the place of a hash in an account; -1 if it is not there. */
function placeOf(hash: string, { conditions }: Account): number {
  for (let at = 0; at < conditions.length; at += CONDITION_CHARACTERS) if (conditions.startsWith(hash, at)) return at;
  return -1;
}

/** Returns the account with further conditions; undefined if it has them. */
function withConditions({ account = accountOf(undefined), hashes }: Conditions): Account | undefined {
  const added = [...hashes].filter((hash) => placeOf(hash, account) < 0);
  if (added.length === 0) return undefined;
  const { spent, conditions } = account;
  return { ...account, spent: spent + ANSWER * added.length, conditions: conditions + added.join('') };
}

function withCheck(account: Account, hash: string, isDifferent: boolean | undefined): Account {
  const at = placeOf(hash, account);
  if (isDifferent === at >= 0) return { ...account, expected: account.expected + 1 };
  const spent = account.spent + unexpectedPrice(account);
  const { conditions } = account;
  if (isDifferent === undefined) return { ...account, spent };
  const rest = conditions.slice(0, at) + conditions.slice(at + CONDITION_CHARACTERS);
  return { ...account, spent, conditions: isDifferent ? conditions + hash : rest };
}
