import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isChoice, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { shown } from '../json.ts';
import { isShown } from '../ports/display.ts';
import { portsOf } from './ports.ts';
import { shapeText } from './shape.ts';
import { checkSelection, newestOf, operationsOf, type Selection, visibleProperties } from './visible.ts';

/** The parameters, operations and credentials of a node, in about 250 tokens. */
export interface Essentials {
  readonly type: string;
  readonly typeVersion: number;
  readonly description: string;
  /** Credentials by name, each with the parameter value that requires it. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Operations by resource, when no operation is chosen. The key is `""` for nodes without resources. */
  readonly operations?: Readonly<Record<string, readonly string[]>>;
  /** The outputs of a node that has several, or one that is not `main`, each with the items that it returns. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The inputs for sub-nodes of an AI node, by connection type. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Required parameters and their types. */
  readonly required: Readonly<Record<string, string>>;
  /** Optional parameters and their types, up to `OPTIONAL_CHARS` characters. */
  readonly optional: Readonly<Record<string, string>>;
  /** Names of the remaining optional parameters. */
  readonly more?: readonly string[];
}

/** Character limits of the parts: together about 250 tokens for most nodes. */
const PARAMETER_CHARS = 180;
const OPTIONAL_CHARS = 600;
const OPERATIONS_CHARS = 700;
const MORE_CHARS = 160;
const DESCRIPTION_CHARS = 120;
/** Maximum number of choices per parameter, and of credentials, to examine. */
const MAX_TRIED = 6;

/** Returns the essentials of a node or of one of its operations. Raises `INVALID_ARGUMENTS`. */
export function nodeEssentials(
  catalog: NodeCatalog,
  type: string,
  wanted: Selection,
  optionalChars: number = OPTIONAL_CHARS,
): Essentials {
  const description = catalog.describe(type, wanted.version);
  const selection = checkSelection(description, wanted);
  const visible = visibleProperties(description, selection);
  const operations = openOperations(description, selection);
  const chosen = new Set(['resource', 'operation', 'descriptionType', 'toolDescription']);
  const asked = visible.filter(({ name }) => !chosen.has(name));
  const must = asked.filter((property) => property.required);
  const may = asked.filter((property) => !property.required);
  const fitting = thatFit(may, optionalChars);
  const hidden = may.slice(Object.keys(fitting).length).map(({ name }) => name);
  const credentials = credentialsOf(description, selection);
  const { inputs, outputs } = portsOf(description, selection);
  return {
    type: description.name,
    typeVersion: selection.version ?? newestOf(description),
    description: short(description.description, DESCRIPTION_CHARS),
    credentials: Object.keys(credentials).length > 0 ? credentials : undefined,
    operations: operations.size > 0 ? shortened(operations) : undefined,
    inputs,
    outputs,
    required: {
      ...Object.fromEntries(must.map((property) => [property.name, summary(property)])),
      ...conditional(description, selection, asked),
    },
    optional: fitting,
    more: hidden.length > 0 ? fitNames(hidden) : undefined,
  };
}

/** Returns the operations to choose from: all, or those of the chosen resource. */
function openOperations(description: NodeDescription, { operation, resource, version }: Selection) {
  if (operation !== undefined) return new Map<string, string[]>();
  const all = [...operationsOf(description, version)].filter(([, operations]) => operations.length > 0);
  return new Map(resource === undefined ? all : all.filter(([name]) => name === resource));
}

function thatFit(properties: readonly NodeProperty[], most: number): Record<string, string> {
  const fitting: Record<string, string> = {};
  let chars = 0;
  for (const property of properties) {
    const text = summary(property);
    chars += property.name.length + text.length + 6;
    if (chars > most) break;
    fitting[property.name] = text;
  }
  return fitting;
}

function summary(property: NodeProperty): string {
  const shape = short(shapeText(property), PARAMETER_CHARS);
  const { default: fallback } = property;
  const hasDefault = fallback !== undefined && fallback !== '' && typeof fallback !== 'object';
  return hasDefault ? `${shape} = ${shown(fallback, 40)}` : shape;
}

function fitNames(names: readonly string[]): string[] {
  let chars = 0;
  const shownNames = names.filter((name) => {
    chars += name.length + 3;
    return chars <= MORE_CHARS;
  });
  const left = names.length - shownNames.length;
  return left > 0 ? [...shownNames, `+${left}`] : shownNames;
}

/** Returns the operations of every resource, shortened until they fit `OPERATIONS_CHARS`. */
function shortened(operations: ReadonlyMap<string, readonly string[]>): Record<string, readonly string[]> {
  for (const most of [Number.POSITIVE_INFINITY, 8, 4, 2, 0]) {
    const summary = Object.fromEntries(
      [...operations].map(([resource, all]) => [resource, all.length > most ? [...all.slice(0, most), '…'] : all]),
    );
    if (JSON.stringify(summary).length <= OPERATIONS_CHARS || most === 0) return summary;
  }
  return {};
}

/** Returns required parameters that depend on another choice: `channelId` when `select` is `channel`. */
function conditional(
  description: NodeDescription,
  selection: Selection,
  visible: readonly NodeProperty[],
): Record<string, string> {
  const known = new Set(visible.map(({ name }) => name));
  const found: Record<string, string> = {};
  for (const property of visible.filter(isDeciding)) {
    for (const { value } of (property.options ?? []).filter(isChoice).slice(0, MAX_TRIED)) {
      const shownThen = visibleProperties(description, selection, { [property.name]: value });
      for (const more of shownThen.filter(({ name, required }) => required && !known.has(name) && !(name in found)))
        found[more.name] = `${summary(more)} if ${property.name} is ${JSON.stringify(value)}`;
    }
  }
  return found;
}

/** Returns whether other parameters may be required for a choice of this one. */
function isDeciding({ type, name, required }: NodeProperty): boolean {
  return type === 'options' && (required === true || name === 'authentication');
}

function credentialsOf(description: NodeDescription, { version }: Selection): Record<string, string> {
  const node = { typeVersion: version ?? newestOf(description), isTool: description.name.endsWith('Tool') };
  const asked = (description.credentials ?? []).filter((credential) => {
    const rules = credential.displayOptions?.show?.['@version'];
    return rules === undefined || isShown({ displayOptions: { show: { '@version': rules } } }, {}, {}, node);
  });
  return Object.fromEntries(
    asked.slice(0, MAX_TRIED).map(({ name, displayOptions, required }) => {
      const rules = Object.entries(displayOptions?.show ?? {}).filter(([key]) => !key.startsWith('@'));
      const when = rules.map(
        ([key, values]) => `${key} is ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
      );
      return [name, when.length > 0 ? `if ${when.join(', ')}` : required ? 'required' : 'optional'];
    }),
  );
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
