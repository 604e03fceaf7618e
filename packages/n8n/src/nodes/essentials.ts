import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isChoice, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { shortName } from '../catalogs/names.ts';
import { shown } from '../json.ts';
import { withDefaults } from '../ports/defaults.ts';
import { isShown } from '../ports/display.ts';
import { labelOf, type Port, portsOfType } from '../ports/port.ts';
import { inputsOf, outputsOf } from '../ports/resolve.ts';
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

/** The ports of a node that a program must know to connect it, each with its meaning. */
interface KnownPorts {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
}

/** The items of outputs, by node and name of the output. */
const MEANINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  if: { true: 'items that meet the conditions', false: 'all other items' },
  filter: { Kept: 'items that meet the conditions', Discarded: 'never used' },
  splitInBatches: {
    done: 'all items, once, after the last batch',
    loop: 'each batch; lead its last step back to this node',
  },
  compareDatasets: {
    'In A only': 'items of input A without a match',
    Same: 'items that are equal in both',
    Different: 'matching items that differ',
    'In B only': 'items of input B without a match',
  },
  guardrails: { Pass: 'items that pass all checks', Fail: 'items that fail a check' },
  evaluation: { Evaluation: 'items of an evaluation', Normal: 'items of other executions' },
  respondToWebhook: { 'Input Data': 'the incoming items', Response: 'the response that was sent' },
};
/** Outputs that parameters of the node list. */
const LISTED: Readonly<Record<string, string>> = {
  switch:
    'one output for each rule, in order, by its outputKey or number; "Fallback" with options.fallbackOutput "extra"',
  textClassifier: 'one output for each category, by its name; "Other" with options.fallback "other"',
};
const SUB_NODE = 'connect it to the node that uses it';
const VECTOR_STORE = 'for mode "retrieve"; mode "retrieve-as-tool" has ai_tool, the other modes have main';

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

/** Returns the ports of a node for a selection. A node with one plain input and output has none to know. */
function portsOf(description: NodeDescription, { resource, operation, version }: Selection): KnownPorts {
  const typeVersion = version ?? newestOf(description);
  const given = { resource, operation };
  const shownBy = { typeVersion, isTool: description.name.endsWith('Tool') };
  const parameters = withDefaults(description.properties, given, shownBy);
  const owner = { description, parameters, typeVersion };
  const inputs = inputWords(description, inputsOf(owner) ?? []);
  const outputs = outputWords(description, outputsOf(owner) ?? []);
  return { inputs, outputs };
}

function inputWords({ name, properties }: NodeDescription, ports: readonly Port[]): Record<string, string> | undefined {
  if (shortName(name) === 'merge') return { 'Input <n>': 'n from 1 to numberInputs' };
  const steps = portsOfType(ports, 'main');
  const words = ports.flatMap((port): [string, string][] => {
    const index = portsOfType(ports, port.type).indexOf(port);
    const label = labelOf(ports, port.type, index);
    if (port.type === 'main') return steps.length > 1 ? [[label, `input ${index}`]] : [];
    const key = portsOfType(ports, port.type).length > 1 ? `${port.type} [${label}]` : port.type;
    return [[key, `${port.name}${port.required ? ', required' : ''}`]];
  });
  const hasParser = properties.some((property) => property.name === 'hasOutputParser');
  if (hasParser && !ports.some(({ type }) => type === 'ai_outputParser'))
    words.push(['ai_outputParser', 'if hasOutputParser is true']);
  return words.length > 0 ? Object.fromEntries(words) : undefined;
}

function outputWords({ name }: NodeDescription, ports: readonly Port[]): Record<string, string> | undefined {
  const short = shortName(name);
  const listed = Object.hasOwn(LISTED, short) ? LISTED[short] : undefined;
  if (listed !== undefined) return { '<name>': listed };
  const isPlain = ports.length === 0 || (ports.length === 1 && ports[0]?.type === 'main');
  if (isPlain) return undefined;
  const meanings = Object.hasOwn(MEANINGS, short) ? MEANINGS[short] : undefined;
  return Object.fromEntries(
    ports.map((port, index) => {
      const label = labelOf(ports, port.type, portsOfType(ports, port.type).indexOf(port));
      if (port.type !== 'main') return [port.type, short.startsWith('vectorStore') ? VECTOR_STORE : SUB_NODE];
      return [label, meanings?.[label] ?? `output ${index}`];
    }),
  );
}
