import { isChoice, type NodeDescription } from '../catalogs/description.ts';
import type { JsonObject } from '../json.ts';
import type { PortOwner } from '../ports/port.ts';
import { outputsOf } from '../ports/resolve.ts';

/**
 * Returns the name that n8n's editor gives a new node: the action of its operation (`Send a message`).
 * Without an action, it is the operation and the resource, or the default name of its type. A tool also has the name of its service: `Send a message in Slack`.
 */
export function defaultNameOf(owner: PortOwner): string {
  const { description, parameters } = owner;
  const own = description.defaultName ?? description.displayName;
  if (description.skipNameGeneration) return own;
  const action = actionOf(description, parameters) ?? operationOf(parameters);
  if (action === undefined) return own;
  const isTool = outputsOf(owner)?.[0]?.type === 'ai_tool';
  return isTool ? `${action} in ${own}` : action;
}

function actionOf({ name, properties }: NodeDescription, parameters: JsonObject): string | undefined {
  const { resource, operation, language } = parameters;
  if (name === 'n8n-nodes-base.code') {
    const found = properties.find((property) => property.name === 'language');
    const action = choiceOf(found?.options, language);
    if (action) return action;
  }
  const operations = properties.find(
    (property) => property.name === 'operation' && property.displayOptions?.show?.resource?.includes(resource),
  );
  return choiceOf(operations?.options, operation);
}

function choiceOf(options: NodeDescription['properties'][number]['options'], value: unknown): string | undefined {
  return (options ?? []).filter(isChoice).find((option) => option.value === value)?.action;
}

function operationOf({ resource, operation }: JsonObject): string | undefined {
  if (typeof resource !== 'string' || typeof operation !== 'string' || !resource || !operation) return undefined;
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)} ${resource}`;
}

/** Returns a function that makes names unique as n8n does: `Edit Fields`, `Edit Fields1`. Names in `taken` are in use. */
export function createNamer(taken: Iterable<string> = []): (wanted: string) => string {
  const names = new Set(taken);
  const numbers = new Map<string, number>();
  return (wanted) => {
    let number = numbers.get(wanted) ?? 0;
    let name = number === 0 ? wanted : `${wanted}${number}`;
    while (names.has(name)) name = `${wanted}${++number}`;
    numbers.set(wanted, number);
    names.add(name);
    return name;
  };
}
