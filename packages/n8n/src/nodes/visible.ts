import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import { isChoice, type NodeDescription, type NodeProperty, type PropertyChoice } from '../catalogs/description.ts';
import { withDefaults } from '../ports/defaults.ts';
import { isShown, type Shown } from '../ports/display.ts';

/** Selects the parameters of a node by resource, operation and version. */
export interface Selection {
  readonly version?: number | undefined;
  readonly resource?: string | undefined;
  readonly operation?: string | undefined;
}

/** Types of parameters that are texts for the reader. */
const NO_VALUES = new Set(['notice', 'callout', 'button', 'curlImport', 'hidden']);

/** Returns the parameters that a node shows for a resource, an operation and the values in `set`, each name once. */
export function visibleProperties(
  description: NodeDescription,
  selection: Selection,
  set: Readonly<Record<string, unknown>> = {},
): NodeProperty[] {
  const node = { typeVersion: selection.version ?? newestOf(description), isTool: description.name.endsWith('Tool') };
  const given = {
    ...set,
    resource: selection.resource ?? set.resource,
    operation: selection.operation ?? set.operation,
  };
  const values = withLocators(description, withDefaults(description.properties, given, node), node);
  const names = new Set<string>();
  return description.properties.filter((property) => {
    if (NO_VALUES.has(property.type) || names.has(property.name)) return false;
    if (!isShown(property, values, values, node)) return false;
    names.add(property.name);
    return true;
  });
}

/** Returns the values with a text in each required locator: n8n hides the parameters that depend on an empty one. */
function withLocators(
  { properties }: NodeDescription,
  values: Readonly<Record<string, unknown>>,
  node: Shown,
): Readonly<Record<string, unknown>> {
  const locators = properties.filter(
    (property) => LOCATORS.has(property.type) && property.required && isShown(property, values, values, node),
  );
  if (locators.length === 0) return values;
  const filled = Object.fromEntries(locators.map(({ name }) => [name, { __rl: true, mode: 'id', value: 'x' }]));
  return withDefaults(properties, { ...values, ...filled }, node);
}

const LOCATORS = new Set(['resourceLocator', 'workflowSelector']);

/** Returns the newest version of a description. */
export function newestOf({ version }: NodeDescription): number {
  return Math.max(1, ...version);
}

/** Returns the operations of a node by resource. The key is `""` for nodes without resources. */
export function operationsOf(description: NodeDescription, version?: number): Map<string, string[]> {
  const node = { typeVersion: version ?? newestOf(description), isTool: false };
  const resources = choicesOf(description, 'resource', {}, node).map(({ value }) => String(value));
  const found = new Map<string, string[]>();
  for (const resource of resources.length > 0 ? resources : ['']) {
    const choices = operationChoices(description, resource === '' ? undefined : resource, version);
    const operations = choices.map(({ value }) => String(value));
    if (operations.length > 0 || resource !== '') found.set(resource, operations);
  }
  return found;
}

/** Returns the operations of a resource, with their names; of the whole node without a resource. */
export function operationChoices(description: NodeDescription, resource?: string, version?: number): PropertyChoice[] {
  const node = { typeVersion: version ?? newestOf(description), isTool: false };
  return choicesOf(description, 'operation', resource === undefined ? {} : { resource }, node);
}

function choicesOf(
  { properties }: NodeDescription,
  name: string,
  given: Readonly<Record<string, unknown>>,
  node: Shown,
): PropertyChoice[] {
  // The operations of some nodes depend on the authentication, too.
  const values = withDefaults(properties, given, node);
  return properties
    .filter((property) => property.name === name && isShown(property, values, values, node))
    .flatMap(({ options = [] }) => options.filter(isChoice));
}

/** Checks that the node has the resource and the operation. Raises `INVALID_ARGUMENTS` with the known ones. */
export function checkSelection(description: NodeDescription, { resource, operation, version }: Selection): Selection {
  const known = operationsOf(description, version);
  const named = resource ?? (operation === undefined ? undefined : resourceWith(known, operation));
  if (named !== undefined && named !== '' && !known.has(named))
    throw unknown(description, 'resource', named, [...known.keys()]);
  const operations = named === undefined ? [...known.values()].flat() : (known.get(named) ?? []);
  if (operation !== undefined && !operations.includes(operation))
    throw unknown(description, 'operation', operation, [...new Set(operations)]);
  return { version, operation, resource: named === '' ? undefined : named };
}

function resourceWith(known: ReadonlyMap<string, readonly string[]>, operation: string): string | undefined {
  return [...known].find(([, operations]) => operations.includes(operation))?.[0];
}

function unknown({ name }: NodeDescription, what: string, given: string, known: readonly string[]): ToolwrightError {
  const has = known.filter((each) => each !== '');
  const near = suggest(given, has, 1);
  const hint = near.length > 0 ? ` Did you mean "${near[0]}"?` : '';
  const list = has.length > 0 ? ` Use one of: ${has.slice(0, 40).join(', ')}.` : ` It has no ${what}s.`;
  return new ToolwrightError('INVALID_ARGUMENTS', `${name} has no ${what} "${given}".${hint}${list}`);
}
