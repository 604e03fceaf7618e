import type { NodeDescription } from '../catalogs/description.ts';
import { shortName } from '../catalogs/names.ts';
import { withDefaults } from '../ports/defaults.ts';
import { labelOf, type Port, portsOfType } from '../ports/port.ts';
import { inputsOf, outputsOf } from '../ports/resolve.ts';
import { newestOf, type Selection } from './visible.ts';

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

/** Returns the ports of a node for a selection. A node with one plain input and output has none to know. */
export function portsOf(description: NodeDescription, { resource, operation, version }: Selection): KnownPorts {
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
