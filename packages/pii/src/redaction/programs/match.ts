import { linearPattern } from '../../detection/linear-pattern.ts';
import { withEditsSteps } from '../../encodings/layer.ts';
import { messageOf, PiiError } from '../../errors.ts';
import { type LookAlike, placeholderSteps } from '../../placeholder.ts';
import { type AuditSink, audited } from '../../policy/audit.ts';
import { mayDerive } from '../../policy/policy.ts';
import { inSlices, mapInSlices, type Steps } from '../../slices.ts';
import type { Known } from '../../vault/vault.ts';
import { unknownPlaceholders } from '../restore.ts';
import { type AnswerBudget, MAX_ANSWERS } from './answer-budget.ts';
import { matchAudit } from './guesses.ts';
import { type LiteralOptions, withLiterals } from './literals.ts';

/** Values that the programs of one session may compare. Many answers together reveal a value. */
export const DEFAULT_MAX_MATCHES = 100_000;
/** Characters of one text of a condition. */
const MAX_CONDITION_CHARACTERS = 1_000;

/** Checks whether a text fulfils a condition. */
export type Condition = (text: string) => boolean;

type Words = 'equals' | 'startsWith' | 'endsWith' | 'includes' | 'pattern';

const TESTS: Readonly<Record<Words, (wanted: string, ignoreCase: boolean) => Condition>> = {
  equals: folded((text, wanted) => text === wanted),
  startsWith: folded((text, wanted) => text.startsWith(wanted)),
  endsWith: folded((text, wanted) => text.endsWith(wanted)),
  includes: folded((text, wanted) => text.includes(wanted)),
  pattern(source, ignoreCase) {
    const pattern = compiled(source, ignoreCase);
    return (text) => pattern.matcher(text).find();
  },
};

/**
 * Returns the check of a condition such as `{ endsWith: '@x.com', ignoreCase: true }`. All of its members must hold. Raises
 * `INVALID_ARGUMENTS` for any other value.
 */
export function conditionOf(value: unknown): Condition {
  const { ignoreCase = false, ...words } = typeof value === 'object' && value !== null ? (value as object as Row) : {};
  const entries = Object.entries(words);
  const isValid = ([word, text]: [string, unknown]) =>
    Object.hasOwn(TESTS, word) && typeof text === 'string' && text.length <= MAX_CONDITION_CHARACTERS;
  if (entries.length === 0 || !entries.every(isValid) || typeof ignoreCase !== 'boolean') {
    throw new PiiError(
      'INVALID_ARGUMENTS',
      `pii.match(value or list, condition): the condition needs one or more of ${Object.keys(TESTS).join(', ')}, each a text of at most ${MAX_CONDITION_CHARACTERS} characters. ignoreCase is true or false.`,
    );
  }
  const tests = entries.map(([word, text]) => TESTS[word as Words](text as string, ignoreCase));
  return (text) => tests.every((test) => test(text));
}

type Row = Readonly<Record<string, unknown>>;

function folded(holds: (text: string, wanted: string) => boolean): (wanted: string, ignoreCase: boolean) => Condition {
  return (wanted, ignoreCase) => {
    if (!ignoreCase) return (text) => holds(text, wanted);
    const lower = wanted.toLowerCase();
    return (text) => holds(text.toLowerCase(), lower);
  };
}

function compiled(source: string, ignoreCase: boolean) {
  try {
    return linearPattern(source, ignoreCase ? 'i' : '');
  } catch (error) {
    throw new PiiError('INVALID_ARGUMENTS', `The pattern of pii.match cannot be used: ${messageOf(error)}.`);
  }
}

export interface MatchOptions extends LiteralOptions {
  readonly audit: AuditSink;
  readonly budget: AnswerBudget;
  /** Default: `DEFAULT_MAX_MATCHES`. */
  readonly max?: number;
}

/**
 * Returns for each text whether it fulfils the condition, with values in place of its placeholders. `false` for anything that is
 * not a text or number. Every compared value is audited. Raises `UNKNOWN_PLACEHOLDER`, `INVALID_ARGUMENTS`, and `PII_DENIED` if the
 * policy or a limit forbids it.
 */
export async function match(texts: readonly unknown[], condition: unknown, options: MatchOptions): Promise<boolean[]> {
  const { vault, types } = options;
  const holds = conditionOf(await withLiterals(condition, options));
  const { read, names } = await inSlices(readSteps(texts, types));
  const known = await vault.find([...names]);
  const unknown = [...names].filter((name) => !known.has(name));
  if (unknown.length > 0) throw unknownPlaceholders(unknown);
  await admit([...known.values()], JSON.stringify(condition), options);
  return inSlices(heldSteps(texts, read, known, holds));
}

function* readSteps(texts: readonly unknown[], types: ReadonlySet<string>) {
  const names = new Set<string>();
  const read: (readonly LookAlike[])[] = [];
  for (const text of texts) {
    const found = typeof text === 'string' ? yield* placeholderSteps(text, types) : [];
    for (const { name, escapes } of found) if (escapes === 0) names.add(name);
    read.push(found);
    yield;
  }
  return { read, names };
}

function* heldSteps(
  texts: readonly unknown[],
  read: readonly (readonly LookAlike[])[],
  known: ReadonlyMap<string, Known>,
  holds: Condition,
): Steps<boolean[]> {
  const held: boolean[] = [];
  for (const [index, text] of texts.entries()) {
    if (typeof text === 'number' || typeof text === 'bigint') held.push(holds(String(text)));
    else held.push(typeof text === 'string' && holds(yield* withValues(text, read[index] ?? [], known)));
    yield;
  }
  return held;
}

/** Counts and audits the comparison of values with a condition. Raises `PII_DENIED`. */
async function admit(values: readonly Known[], condition: string, options: MatchOptions): Promise<void> {
  if (values.length === 0) return;
  await audited(options.audit, (audit) => admitAudited(values, condition, { ...options, audit }));
}

async function admitAudited(
  values: readonly Known[],
  condition: string,
  { vault, policy, audit, budget, max = DEFAULT_MAX_MATCHES }: MatchOptions,
): Promise<void> {
  const record = matchAudit(vault, audit);
  const refuse = async (refused: readonly Known[], reason: string) => {
    await mapInSlices(refused, (known) => void record(known, reason));
    throw new PiiError('PII_DENIED', `pii.match is denied: ${reason}.`);
  };
  const barred = values.find(({ type }) => !mayDerive(policy, type, 'match'));
  if (barred) await refuse([barred], `the policy does not allow it for ${barred.type}. Use the placeholder itself`);
  const guessed = await budget.compare(values, condition);
  if (guessed) {
    const reason = `the programs of this user have had ${MAX_ANSWERS} answers about [${guessed.name}], which is the limit for one value in a year`;
    await refuse([guessed], `${reason}. Use a condition of before`);
  }
  if ((await vault.count('matches', values.length)) > max) {
    await refuse(values, `this session has compared ${max} values, which is the limit. Start a new session`);
  }
  await mapInSlices(values, (known) => void record(known));
}

function withValues(
  text: string,
  placeholders: readonly LookAlike[],
  known: ReadonlyMap<string, Known>,
): Steps<string> {
  const edits = placeholders.filter(({ escapes }) => escapes === 0);
  return withEditsSteps(
    text,
    edits.map(({ start, end, name }) => ({ start, end, text: known.get(name)?.spellings[0].text ?? '' })),
  );
}
