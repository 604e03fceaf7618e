import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import type { JsonObject } from '../../json.ts';
import { NODE_KEYS, SETTING_KEYS } from '../../validation/body.ts';

/** Checks the keys of an object of a program. Raises `INVALID_ARGUMENTS` with the known keys. */
export function checkKeys(what: string, given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const near = suggest(unknown, known, 1);
  const hint = near.length > 0 ? ` Did you mean "${near[0]}"?` : '';
  const message = `${what} has no key "${unknown}".${hint} Its keys are: ${known.join(', ')}.`;
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** Checks the keys of a new node. Raises `INVALID_ARGUMENTS` with the known keys. */
export function checkNodeKeys(node: JsonObject): void {
  checkKeys(`A node of type ${node.type}`, node, Object.keys(NODE_KEYS));
}

/** Checks the keys of settings. Raises `INVALID_ARGUMENTS` with those that n8n's API accepts. */
export function checkSettings(settings: JsonObject): void {
  checkKeys('settings', settings, Object.keys(SETTING_KEYS));
}
