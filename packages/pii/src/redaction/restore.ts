import { PiiError } from '../errors.ts';
import { eachKey, eachLeaf, mapLeaves } from '../json-walk.ts';
import { readPlaceholders, replacePlaceholders, writePlaceholder } from '../placeholder.ts';
import type { AuditSink } from '../policy/audit.ts';
import { type Decision, decide, type PiiPolicy } from '../policy/policy.ts';
import { spellingFor } from '../vault/record.ts';
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
  const names = new Set<string>();
  let isChanged = false;
  const collect = (text: string) => {
    for (const { name, escapes } of readPlaceholders(text, types)) {
      isChanged = true;
      if (escapes === 0) names.add(name);
    }
  };
  eachLeaf(value, (leaf) => {
    if (typeof leaf === 'string') collect(leaf);
  });
  eachKey(value, collect);
  if (!isChanged) return { restored: value, written: new Map() };
  const texts = await textsOf([...names], options);
  const numbers = new Map(
    [...texts].filter(([, { known, decision }]) => known.numeric && decision.treatment === 'allow'),
  );

  const written = new Map<string, string>();
  const restoreText = (text: string) => {
    const whole = replacePlaceholders(text, types, (name) => texts.get(name)?.text ?? '');
    if (whole !== text) written.set(whole, text);
    return whole;
  };
  const restored = mapLeaves(
    value,
    (leaf) => {
      if (typeof leaf === 'number') return leaf;
      if (numbers.size > 0) {
        const [only] = readPlaceholders(leaf, types);
        const number = only && only.start === 0 && only.end === leaf.length && numbers.get(only.name);
        if (number && only.escapes === 0) return Number(spellingFor(number.known, server));
      }
      return restoreText(leaf);
    },
    restoreText,
  );
  return { restored, written };

  /** Returns the replacement of each name. All are decided and audited before any is used. */
  async function textsOf(wanted: readonly string[], { policy, audit, tool }: RestoreOptions) {
    const found = wanted.length > 0 ? await vault.find(wanted) : new Map<string, Known>();
    const at = new Date().toISOString();
    const base = { ...vault.owner, at, tool };
    const unknown = wanted.filter((name) => !found.has(name));
    for (const name of unknown) {
      const type = name.replace(/_\d+$/, '');
      audit({ ...base, event: 'denial', placeholder: name, type, reason: 'unknown placeholder' });
    }
    if (unknown.length > 0) throw unknownPlaceholders(unknown);
    const decided = [...found.values()].map((known) => ({ known, decision: decide(policy, known, tool, server) }));
    const denied = decided.filter(({ decision }) => decision.treatment === 'deny');
    for (const { known, decision } of denied) {
      audit({ ...base, event: 'denial', placeholder: known.name, type: known.type, reason: decision.reason ?? '' });
    }
    if (denied.length > 0) throw refusal(denied, tool);
    for (const { known, decision } of decided) {
      if (decision.treatment === 'placeholder') continue;
      const event = decision.treatment === 'mask' ? 'mask' : 'restore';
      audit({ ...base, event, placeholder: known.name, type: known.type });
    }
    return new Map(
      decided.map(({ known, decision }) => [known.name, { known, decision, text: textOf(known, decision) }]),
    );
  }

  function textOf(known: Known, { treatment }: Decision): string {
    if (treatment === 'allow') return spellingFor(known, server);
    return treatment === 'mask' ? maskOf(known.type, known.spellings[0].text) : writePlaceholder(known.name);
  }
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
