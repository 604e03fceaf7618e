import type { EncodedPart } from '../encodings/part.ts';
import { PiiError } from '../errors.ts';
import { mapSteps, visitSteps } from '../json-walk.ts';
import {
  MAX_PLACEHOLDER_CHARACTERS,
  mayHavePlaceholder,
  placeholderSteps,
  readPlaceholders,
  replaceSteps,
  writePlaceholder,
} from '../placeholder.ts';
import type { AuditSink } from '../policy/audit.ts';
import { type Decision, decide, type PiiPolicy } from '../policy/policy.ts';
import { atOnceIfShort, inSlices, mapInSlices, type Steps } from '../slices.ts';
import { spellingFor } from '../vault/record.ts';
import type { Known, Vault } from '../vault/vault.ts';
import { partsToRestore } from './encoded-placeholders.ts';
import { maskOf } from './mask.ts';

export interface RestoreOptions {
  readonly vault: Vault;
  readonly types: ReadonlySet<string>;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  /** The tool that receives the values, `server__tool`, and its server. */
  readonly tool: string;
  readonly server: string;
}

/** Placeholders that an error lists. */
const MAX_NAMED = 5;

/**
 * Replaces placeholders by their values, once, in all texts and keys of a JSON value at any depth: restored values are not
 * read again. A text that is only the placeholder of a number becomes the number. A value has the spelling of the tool's
 * server, else its first spelling. A value without placeholders is returned itself. Raises `UNKNOWN_PLACEHOLDER` or
 * `PII_DENIED`, and then restores nothing.
 */
export async function restore(value: unknown, options: RestoreOptions): Promise<unknown> {
  return (await restoreAs(value, options)).restored;
}

/** Restores as {@link restore} does. Returns also each changed text and key with its form before. */
export async function restoreAs(
  value: unknown,
  options: RestoreOptions,
): Promise<{ readonly restored: unknown; readonly written: ReadonlyMap<string, string> }> {
  const { vault, types, server } = options;
  const names = await inSlices(namesIn(value, types));
  if (names === undefined) return { restored: value, written: new Map() };
  const texts = await textsOf([...names], options);

  const written = new Map<string, string>();
  function* textSteps(text: string): Steps<string> {
    const whole = yield* replaceSteps(text, types, (name) => texts.get(name)?.text ?? '');
    if (whole !== text) written.set(whole, text);
    return whole;
  }
  const restoreText = (text: string) => (mayHavePlaceholder(text) ? atOnceIfShort(text.length, textSteps(text)) : text);
  const restoreLeaf = (depth: number) => (leaf: string | number) => {
    if (typeof leaf === 'number') return leaf;
    const parts = partsToRestore(leaf, types, depth);
    if (parts.length > 0) return encodedSteps(leaf, parts, depth);
    return numberFor(leaf, texts, types) ?? restoreText(leaf);
  };
  /** Restores the content of encoded parts, and the text around them. */
  function* encodedSteps(text: string, parts: readonly EncodedPart[], depth: number): Steps<string> {
    let whole = '';
    let at = 0;
    for (const { start, end, content, encode } of parts) {
      const before = yield* textSteps(text.slice(at, start));
      const inner = yield* mapSteps(content, restoreLeaf(depth + 1), restoreText);
      whole += before + encode(inner);
      at = end;
    }
    whole += yield* textSteps(text.slice(at));
    if (whole !== text) written.set(whole, text);
    return whole;
  }
  const restored = await inSlices(mapSteps(value, restoreLeaf(0), restoreText));
  return { restored, written };

  /** Returns the replacement of each name. All are decided and audited before any is used. */
  async function textsOf(wanted: readonly string[], { policy, audit, tool }: RestoreOptions) {
    const found = wanted.length > 0 ? await vault.find(wanted) : new Map<string, Known>();
    const at = new Date().toISOString();
    const base = { ...vault.owner, at, tool };
    const unknown = wanted.filter((name) => !found.has(name));
    await mapInSlices(unknown, (name) => {
      const type = name.replace(/_\d+$/, '');
      audit({ ...base, event: 'denial', placeholder: name, type, reason: 'unknown placeholder' });
    });
    if (unknown.length > 0) throw unknownPlaceholders(unknown);
    const decided = await mapInSlices([...found.values()], (known) => {
      return { known, decision: decide(policy, known, tool, server) };
    });
    const denied = decided.filter(({ decision }) => decision.treatment === 'deny');
    await mapInSlices(denied, ({ known, decision }) =>
      audit({ ...base, event: 'denial', placeholder: known.name, type: known.type, reason: decision.reason ?? '' }),
    );
    if (denied.length > 0) throw refusal(denied, tool);
    await mapInSlices(decided, ({ known, decision }) => {
      if (decision.treatment === 'placeholder') return;
      const event = decision.treatment === 'mask' ? 'mask' : 'restore';
      const reason = decision.reason === undefined ? {} : { reason: decision.reason };
      audit({ ...base, event, placeholder: known.name, type: known.type, ...reason });
    });
    const texts = new Map<string, Restored>();
    await mapInSlices(decided, ({ known, decision }) => {
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

/** The replacement of a placeholder. */
interface Restored {
  readonly text: string;
  /** Set for a JSON number: a text that is only its placeholder becomes the number. */
  readonly isNumber: boolean;
}

/** Returns the number of a text that is only the placeholder of a number. */
function numberFor(text: string, texts: ReadonlyMap<string, Restored>, types: ReadonlySet<string>): number | undefined {
  if (text.length > MAX_PLACEHOLDER_CHARACTERS) return undefined;
  const [only] = readPlaceholders(text, types);
  if (only === undefined || only.start !== 0 || only.end !== text.length || only.escapes > 0) return undefined;
  const found = texts.get(only.name);
  return found?.isNumber ? Number(found.text) : undefined;
}

/** Returns the names of all placeholders in a value; undefined if it has neither placeholders nor escaped ones. */
function* namesIn(value: unknown, types: ReadonlySet<string>): Steps<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  let isChanged = false;
  function* collectSteps(text: string): Steps {
    for (const { name, escapes } of yield* placeholderSteps(text, types)) {
      isChanged = true;
      if (escapes === 0) names.add(name);
    }
  }
  const collect = (text: string) =>
    mayHavePlaceholder(text) ? atOnceIfShort(text.length, collectSteps(text)) : undefined;
  const collectLeaf = (depth: number) => (leaf: string | number) => {
    if (typeof leaf === 'number') return undefined;
    const parts = partsToRestore(leaf, types, depth);
    return parts.length > 0 ? collectEncoded(leaf, parts, depth) : collect(leaf);
  };
  function* collectEncoded(text: string, parts: readonly EncodedPart[], depth: number): Steps {
    for (const { content } of parts) yield* visitSteps(content, { leaf: collectLeaf(depth + 1), key: collect });
    yield* collectSteps(text);
  }
  yield* visitSteps(value, { leaf: collectLeaf(0), key: collect });
  return isChanged ? names : undefined;
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
