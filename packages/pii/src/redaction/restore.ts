import { cutPlaceholderIn } from '../encodings/cut-placeholder.ts';
import { isWithoutCandidate, mayHaveEncoding } from '../encodings/layers.ts';
import { withoutMarks } from '../encodings/marks.ts';
import { editSteps, rewriteSteps } from '../encodings/rewrite.ts';
import { PiiError } from '../errors.ts';
import { exactNumber, type Leaf, mapSteps, visitSteps } from '../json-walk.ts';
import {
  type LookAlike,
  MAX_PLACEHOLDER_CHARACTERS,
  mayHavePlaceholder,
  readPlaceholders,
  unescaped,
  writePlaceholder,
} from '../placeholder.ts';
import { type Audit, type AuditSink, audited } from '../policy/audit.ts';
import { type Decision, decide, type PiiPolicy } from '../policy/policy.ts';
import { atOnceIfShort, inSlices, mapInSlices, type Steps } from '../slices.ts';
import { spellingFor } from '../vault/records/record.ts';
import type { Known, Vault } from '../vault/vault.ts';
import { maskOf } from './mask.ts';

export interface RestoreOptions {
  readonly vault: Vault;
  readonly types: ReadonlySet<string>;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  /** The tool that receives the values, `server__tool`, and its server. */
  readonly tool: string;
  readonly server: string;
  /**
   * The tool is a local function, which sends nothing: no rule denies the call. A placeholder whose value the rules do not
   * allow stays, and so do escaped texts.
   */
  readonly isLocal?: boolean | undefined;
  /**
   * A person reads the value: placeholders that are unknown or denied stay, and the others are restored. Names without brackets,
   * `EMAIL_1`, count too: models write them.
   */
  readonly isShown?: boolean | undefined;
}

/** A name without brackets. */
const BARE = /(?<![\w[~\uFF3B])([A-Z][A-Z0-9_]{1,23}?)\\?_(\d{1,9})(?![\w\]])/g;

/** More arguments may be a list of bytes, such as a typed array. */
const MAX_QUICK_ARGUMENTS = 5;

/** Placeholders that an error lists. */
const MAX_NAMED = 5;

/**
 * Replaces placeholders by their values, once, in all texts and keys of a JSON value at any depth: restored values are not
 * read again. A placeholder inside of an encoded text is replaced there, and the text is encoded again. A text that is only the placeholder of a number becomes the number. A value has the spelling of the tool's
 * server, else its first spelling. A value without placeholders is returned itself. Raises `UNKNOWN_PLACEHOLDER` or
 * `PII_DENIED`, and then restores nothing.
 */
export async function restore(value: unknown, options: RestoreOptions): Promise<unknown> {
  return (await restoreAs(value, options)).restored;
}

/** Restores as {@link restore} does. Returns also each changed text and key with its form before. */
export async function restoreAs(given: unknown, options: RestoreOptions): Promise<Restoration> {
  const value = options.isShown ? await withBrackets(given, options) : given;
  const reading = inSlices(placeholdersIn(value, options.types));
  const read = reading instanceof Promise ? await reading : reading;
  // Most values have none, and nothing to audit.
  if (read.cut === undefined && read.changed.size === 0) return { restored: value, written: NOTHING_WRITTEN };
  return audited(options.audit, (audit) => restoreAudited(value, read, { ...options, audit }));
}

/** The changes of a value without placeholders. */
export const NOTHING_WRITTEN: ReadonlyMap<string, string> = new Map();

/** Checks quickly whether short arguments hold no placeholder: one level of texts and numbers. */
export function hasNoCandidate(args: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(args);
  if (keys.length > MAX_QUICK_ARGUMENTS) return false;
  for (const key of keys) {
    const value = args[key];
    if (typeof value === 'object' && value !== null) return false;
    if (!isWithoutCandidate(key) || (typeof value === 'string' && !isWithoutCandidate(value))) return false;
  }
  return true;
}

interface Restoration {
  readonly restored: unknown;
  readonly written: ReadonlyMap<string, string>;
}

/** The options of work whose records are written before its outcome. */
type AuditedOptions = Omit<RestoreOptions, 'audit'> & { readonly audit: Audit };

async function restoreAudited(
  value: unknown,
  { names, cut, changed }: FoundPlaceholders,
  options: AuditedOptions,
): Promise<Restoration> {
  const { vault, types, server, isLocal = false, isShown = false } = options;
  if (cut !== undefined && !isShown) throw cutPlaceholder(cut, options);
  const texts = await textsOf([...names], options);

  const written = new Map<string, string>();
  const rewriting = {
    replace(found: LookAlike, text: string) {
      if (found.escapes === 0) return texts.get(found.name)?.text ?? text.slice(found.start, found.end);
      return isLocal ? text.slice(found.start, found.end) : unescaped(found, text);
    },
    isPlaceholder: ({ escapes }: LookAlike) => escapes > 0,
    number: (text: string) => numberFor(text, texts, types),
  };
  function* textSteps(text: string): Steps<string> {
    const whole = withoutMarks(yield* rewriteSteps(text, types, rewriting));
    if (whole !== text) written.set(whole, text);
    return whole;
  }
  const restoreText = (text: string) => (changed.has(text) ? atOnceIfShort(text.length, textSteps(text)) : text);
  const restoreLeaf = (leaf: Leaf) => {
    if (typeof leaf !== 'string') return leaf;
    return numberFor(leaf, texts, types) ?? restoreText(leaf);
  };
  const restored = await inSlices(mapSteps(value, restoreLeaf, restoreText));
  return { restored, written };

  /** Returns the replacement of each name. All are decided and audited before any is used. */
  async function textsOf(wanted: readonly string[], { policy, audit, tool }: AuditedOptions) {
    const found = wanted.length > 0 ? await vault.find(wanted) : new Map<string, Known>();
    const at = new Date().toISOString();
    const base = { ...vault.owner, at, tool };
    const unknown = wanted.filter((name) => !found.has(name));
    await mapInSlices(unknown, (name) => {
      const type = name.replace(/_\d+$/, '');
      audit({ ...base, event: 'denial', placeholder: name, type, reason: 'unknown placeholder' });
    });
    if (unknown.length > 0 && !isShown) throw unknownPlaceholders(unknown);
    const decided = await mapInSlices([...found.values()], (known) => {
      const decision = decide(policy, known, tool, server);
      const isKept = isLocal && decision.treatment !== 'allow';
      return { known, decision: isKept ? ({ treatment: 'placeholder' } as const) : decision };
    });
    const denied = decided.filter(({ decision }) => decision.treatment === 'deny');
    await mapInSlices(denied, ({ known, decision }) =>
      audit({ ...base, event: 'denial', placeholder: known.name, type: known.type, reason: decision.reason ?? '' }),
    );
    if (denied.length > 0 && !isShown) throw refusal(denied, tool);
    const allowed = decided.filter(({ decision }) => decision.treatment !== 'deny');
    await mapInSlices(allowed, ({ known, decision }) => {
      if (decision.treatment === 'placeholder') return;
      const event = decision.treatment === 'mask' ? 'mask' : 'restore';
      const reason = { reason: decision.reason };
      audit({ ...base, event, placeholder: known.name, type: known.type, ...reason });
    });
    const texts = new Map<string, Restored>();
    await mapInSlices(allowed, ({ known, decision }) => {
      const isNumber = known.numeric && decision.treatment === 'allow';
      texts.set(known.name, { text: textOf(known, decision), isNumber });
    });
    return texts;
  }

  function textOf(known: Known, { treatment }: Decision): string {
    if (treatment === 'allow') return spellingFor(known, server);
    return treatment === 'mask' ? maskOf(known.type, known.spellings[0].text) : writePlaceholder(known.name);
  }
}

/** Returns a value with brackets around the names of placeholders that the session has, `EMAIL_1`. */
async function withBrackets(value: unknown, { vault, types }: RestoreOptions) {
  const names = new Set<string>();
  const nameOf = (type: string, number: string) => (types.has(type) ? `${type}_${number}` : undefined);
  const collect = (leaf: Leaf) => {
    if (typeof leaf !== 'string') return;
    for (const [, type = '', number = ''] of leaf.matchAll(BARE)) names.add(nameOf(type, number) ?? '');
  };
  await inSlices(visitSteps(value, { leaf: collect, key: () => undefined }));
  names.delete('');
  if (names.size === 0) return value;
  const known = await vault.find([...names]);
  const write = (text: string) =>
    text.replaceAll(BARE, (whole, type: string, number: string) =>
      known.has(`${type}_${number}`) ? writePlaceholder(`${type}_${number}`) : whole,
    );
  return inSlices(
    mapSteps(
      value,
      (leaf) => (typeof leaf === 'string' ? write(leaf) : leaf),
      (key) => key,
    ),
  );
}

/** The replacement of a placeholder. */
interface Restored {
  readonly text: string;
  /** Set for a JSON number: a text that is only its placeholder becomes the number. */
  readonly isNumber: boolean;
}

/** Returns the number of a text that is only the placeholder of a number. */
function numberFor(
  text: string,
  texts: ReadonlyMap<string, Restored>,
  types: ReadonlySet<string>,
): number | bigint | undefined {
  if (text.length > MAX_PLACEHOLDER_CHARACTERS) return undefined;
  const [only] = readPlaceholders(text, types);
  if (only === undefined || only.start !== 0 || only.end !== text.length || only.escapes > 0) return undefined;
  const found = texts.get(only.name);
  return found?.isNumber ? exactNumber(found.text) : undefined;
}

/** The placeholders of a value. */
interface FoundPlaceholders {
  readonly names: ReadonlySet<string>;
  /** A part of a placeholder in an encoded text. */
  readonly cut: string | undefined;
  /** The texts and keys with placeholders or escaped ones. */
  readonly changed: ReadonlySet<string>;
}

function* placeholdersIn(value: unknown, types: ReadonlySet<string>): Steps<FoundPlaceholders> {
  const names = new Set<string>();
  const changed = new Set<string>();
  let cut: string | undefined;
  const collecting = {
    replace({ name, escapes }: LookAlike) {
      if (escapes === 0) names.add(name);
      return '';
    },
    isPlaceholder: () => false,
    visit(text: string) {
      cut ??= cutPlaceholderIn(text, types);
    },
  };
  function* collectSteps(text: string): Steps {
    if ((yield* editSteps(text, types, collecting, 0)).length > 0) changed.add(text);
  }
  const collect = (text: string) =>
    mayHavePlaceholder(text) || mayHaveEncoding(text) ? atOnceIfShort(text.length, collectSteps(text)) : undefined;
  yield* visitSteps(value, { leaf: (leaf) => (typeof leaf === 'string' ? collect(leaf) : undefined), key: collect });
  return { names, cut, changed };
}

/** Audits and returns the error for an encoded text that contains a part of a placeholder. */
function cutPlaceholder(cut: string, { vault, audit, tool }: AuditedOptions): PiiError {
  const type = cut.replaceAll(/[^A-Z_]/g, '').replace(/_$/, '');
  const at = new Date().toISOString();
  audit({ ...vault.owner, at, tool, event: 'denial', placeholder: cut, type, reason: 'cut placeholder' });
  return new PiiError(
    'PII_DENIED',
    `An encoded text for ${tool} contains "${cut}", a part of a placeholder, so nothing was restored or sent. Encode the ` +
      'whole placeholder: Toolwright replaces it by its value inside of the encoded text.',
    { details: { cut } },
  );
}

/** Returns the error for placeholders that this session has not issued or has forgotten. */
export function unknownPlaceholders(names: readonly string[]): PiiError {
  const [first = ''] = names;
  const plural = names.length > 1;
  return new PiiError(
    'UNKNOWN_PLACEHOLDER',
    `This session has no ${plural ? 'values' : 'value'} for ${listOf(names)}, so nothing was restored or sent. Use ` +
      'placeholders exactly as a tool of this session returned them, or get the data again. For the literal text, ' +
      `write [~${first}].`,
    { details: { placeholders: names } },
  );
}

function refusal(denied: readonly { known: Known; decision: Decision }[], tool: string): PiiError {
  const names = denied.map(({ known }) => known.name);
  const reasons = [...new Set(denied.map(({ decision }) => decision.reason))].join('; ');
  return new PiiError(
    'PII_DENIED',
    `${listOf(names)} cannot be restored for ${tool}: ${reasons}. Remove the placeholder, use another tool, or ask the ` +
      'operator to allow it in pii.policy.',
    { details: { placeholders: names } },
  );
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map(writePlaceholder).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}
