import { acceptedAnnotations, type Tool } from '@toolwright/connectors';
import type { SinkKind } from '../schema.ts';
import type { ArgumentValue } from './followed.ts';
import { isAddress, type Leak, leakWords } from './followed.ts';
import type { CallOrigins } from './origins.ts';
import { nameWords } from './sink-words.ts';
import { originWords } from './words.ts';

/** The decision of the preset `guarded`, and why it asks. */
export type GuardedDecision =
  | { readonly action: 'allow' }
  /** The search for the origin takes milliseconds: call `reason` for a person only. */
  | { readonly action: 'ask'; readonly reason: () => string };

const DESTROYS =
  /^(delete|remove|drop|cancel|purge|clear|archive|close|revoke|erase|wipe|destroy|reset|terminate|kill|uninstall|overwrite|truncate|disable|trash|empty|unsubscribe|merge|block|ban|kick|leave)$/;
const ADDS =
  /^(get|list|read|search|find|fetch|show|view|create|add|append|post|send|update|set|edit|reply|comment|book|reserve|schedule|reschedule|rename|move|copy|mark|star|label|invite|share|assign|download|write|put|insert|upsert)$/;
const READS =
  /^(?:get|list|read|search|find|fetch|show|view|describe|count|check|lookup|query|browse|retrieve|download|summarize|analyze)$/;
/** Words that a reader of such a name does not have. */
const ACTS =
  /^(?:and|or|then|create|add|append|send|update|set|edit|reply|book|reserve|schedule|reschedule|rename|move|copy|mark|invite|share|assign|write|put|insert|upsert|run|execute|start|stop|pay|transfer|buy|order|submit|approve|publish|install|sale)$/;
/** Values that a reason names. */
const MAX_NAMED = 3;

/**
 * Decides a call by the origins of its targets. It allows a call whose targets are proven, asks about any other, and denies none. A
 * receiver, place, command or credential needs a proof. Proofs are the request, the program of an author who saw no public data, a list
 * of the operator, and trusted data. A record may also be a field of an answer, unless the tool destroys. It asks about private data that
 * would leave its readers.
 */
export function decideGuarded(tool: Tool, isReadOnly: boolean, origins: CallOrigins): GuardedDecision {
  const { values, isOwnProgram, isNamedTool } = origins;
  if (values === undefined) return { action: 'ask', reason: () => 'it has too many values to examine' };
  const leaks = origins.leaks();
  if (leaks.length > 0) return { action: 'ask', reason: () => namedFew(leaks, leakWords) };
  if (isReadOnly)
    return ofUnproven(
      values.filter((value) => isSentAway(value) && !isStrong(value)),
      origins,
    );
  const destroys = isDestructive(tool);
  const targets = values.filter(isTarget);
  const unproven = targets.filter(
    (value) => !isStrong(value) && !(value.kind === 'record' && !destroys && isField(value, tool, isOwnProgram)),
  );
  if (unproven.length > 0) return ofUnproven(unproven, origins);
  if (isOwnProgram && isNamedTool) return { action: 'allow' };
  if (targets.some((value) => isStrong(value) || value.origin().isNamed)) return { action: 'allow' };
  if (targets.length === 0 && isWanted(values)) return { action: 'allow' };
  return { action: 'ask', reason: () => 'nothing in the request shows that the user wants this call' };
}

/** Returns whether a tool without a hint has the name of one that only reads: `list_files`, `searchMails`. */
export function readsByName(tool: Tool): boolean {
  if (acceptedAnnotations(tool).readOnlyHint !== undefined) return false;
  const [first = '', ...others] = nameWords(tool.definition.name);
  if (first === 'check' && /^(?:in|out)$/.test(others[0] ?? '')) return false;
  return READS.test(first) && !others.some((word) => ACTS.test(word) || DESTROYS.test(word));
}

function ofUnproven(unproven: readonly ArgumentValue[], { partOf }: CallOrigins): GuardedDecision {
  if (unproven.length === 0) return { action: 'allow' };
  const wordsOf = (value: ArgumentValue) => `"${value.path}" is ${originWords(value, partOf)}`;
  return { action: 'ask', reason: () => namedFew(unproven, wordsOf) };
}

function namedFew<T extends ArgumentValue | Leak>(all: readonly T[], wordsOf: (each: T) => string): string {
  const named = all.slice(0, MAX_NAMED).map(wordsOf);
  return named.join('; ') + (all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : '');
}

/** Returns whether the request or trusted data has everything that a call without a target writes. */
function isWanted(values: readonly ArgumentValue[]): boolean {
  const written = values.filter(({ kind }) => kind === 'content' || kind === 'amount');
  return written.length > 0 && written.every(isStrong);
}

/** Returns whether a value decides what a call affects. */
export function isTarget({ kind }: { readonly kind: SinkKind }): boolean {
  return kind !== 'content' && kind !== 'setting' && kind !== 'amount';
}

/** A read sends its address, and everything in it, to another host. */
function isSentAway(value: ArgumentValue): boolean {
  return value.kind === 'command' || isAddress(value);
}

function isStrong({ origin }: ArgumentValue): boolean {
  const { proof } = origin();
  return proof !== 'public' && proof !== 'unknown';
}

/**
 * The server itself must have returned the record: a page of a stranger may have any number. Unless the text of an own program shows that
 * it selects the field, the request must name the record too.
 */
function isField({ origin, isSelected }: ArgumentValue, { server }: Tool, isOwnProgram: boolean): boolean {
  const { proof, field, isNamed } = origin();
  return proof === 'public' && field?.server === server && ((isOwnProgram && isSelected) || isNamed === true);
}

/** Without an annotation, only known verbs destroy nothing. */
function isDestructive(tool: Tool): boolean {
  const { destructiveHint } = acceptedAnnotations(tool);
  const words = nameWords(tool.definition.name);
  if (destructiveHint === true || words.some((word) => DESTROYS.test(word))) return true;
  return destructiveHint === undefined && !words.some((word) => ADDS.test(word));
}
