import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { NodePort } from '../catalogs/description.ts';
import { shortName } from '../catalogs/names.ts';
import { isObject, type JsonObject, objectOf, objectsIn } from '../json.ts';
import { ShapeError, withDefaults } from './defaults.ts';
import type { Port, PortOwner } from './port.ts';

type Compute = (parameters: JsonObject, version: number) => readonly Port[];

const MAIN: Port = { type: 'main', name: '' };

const MAX_PORTS = 1_000;

const MODEL = ai('languageModel', 'Model', true);
const CHAT_MODEL = ai('languageModel', 'Chat Model', true);
const FALLBACK = ai('languageModel', 'Fallback Model', true);
const SPLITTER = ai('textSplitter', 'Text Splitter', true);
const TOOLS: readonly Port[] = [MAIN, ai('tool', 'Tools')];

const toolsForText: Compute = ({ resource, operation, hideTools, memory }) => {
  if (resource === 'assistant' && operation === 'message')
    return [...TOOLS, ...(memory === 'threadId' ? [] : [ai('memory', 'Memory')])];
  const isText = resource === 'text' && (operation === 'message' || operation === 'response');
  return isText && hideTools !== 'hide' ? TOOLS : [MAIN];
};

const loader: Compute = ({ textSplittingMode }) =>
  !textSplittingMode || textSplittingMode === 'custom' ? [SPLITTER] : [];

const ofCode =
  (key: 'inputs' | 'outputs', group: 'input' | 'output'): Compute =>
  (parameters) =>
    objectsIn(objectOf(parameters[key])[group]).map(({ type, required }) => ({
      type: String(type ?? 'main'),
      name: '',
      required: required ? true : undefined,
    }));

const NEEDS_MODEL = new Set(['nsfw', 'topicalAlignment', 'custom', 'jailbreak']);

/** Inputs by the name after the package. */
const INPUTS: Readonly<Record<string, Compute>> = {
  merge: ({ numberInputs }) => main(numbered(numberInputs, 2).map((number) => `Input ${Number(number) + 1}`)),
  evaluation: ({ operation, metric }) =>
    operation === 'setMetrics' && ['correctness', 'helpfulness'].includes(String(metric)) ? [MAIN, MODEL] : [MAIN],
  agent: (parameters, version) => {
    if (version >= 2) return agent(true)(parameters, version);
    const { agent: kind } = parameters;
    const model = ['openAiFunctionsAgent', 'toolsAgent', 'conversationalAgent'].includes(String(kind));
    const memory = ['reActAgent', 'planAndExecuteAgent'].includes(String(kind)) ? [] : [ai('memory', 'Memory')];
    const tool = kind === 'sqlAgent' ? [] : [ai('tool', 'Tool')];
    const hasParser = parameters.hasOutputParser !== false;
    return [
      MAIN,
      model ? CHAT_MODEL : MODEL,
      ...memory,
      ...tool,
      ...(hasParser ? [ai('outputParser', 'Output Parser')] : []),
    ];
  },
  agentTool: agent(false),
  microsoftAgent365Trigger: agent(false),
  chainLlm: ({ needsFallback, hasOutputParser }) => [
    MAIN,
    MODEL,
    ...(needsFallback === true ? [FALLBACK] : []),
    ...(hasOutputParser === undefined || hasOutputParser === true ? [ai('outputParser', 'Output Parser')] : []),
  ],
  chainSummarization: ({ operationMode, chunkingMode }) => [
    MAIN,
    MODEL,
    ...(operationMode === 'documentLoader' ? [ai('document', 'Document', true)] : []),
    ...(operationMode !== 'documentLoader' && chunkingMode === 'advanced' ? [{ ...SPLITTER, required: false }] : []),
  ],
  outputParserStructured: ({ autoFix }) => (autoFix ? [MODEL] : []),
  documentDefaultDataLoader: loader,
  documentGithubLoader: loader,
  openAi: toolsForText,
  anthropic: toolsForText,
  googleGemini: toolsForText,
  ollama: toolsForText,
  chat: ({ options }) => [MAIN, ...(objectOf(options).memoryConnection ? [ai('memory', 'Memory')] : [])],
  chatTrigger: ({ mode, options }) =>
    ['hostedChat', 'webhook'].includes(String(mode)) && objectOf(options).loadPreviousSession === 'memory'
      ? [ai('memory', 'Memory', true)]
      : [],
  modelSelector: ({ numberInputs }) =>
    numbered(numberInputs, 2).map((number) => ai('languageModel', `Model ${Number(number) + 1}`, true)),
  guardrails: ({ operation, guardrails }, version) => {
    const asksModel = Object.keys(objectOf(guardrails)).some((check) => NEEDS_MODEL.has(check));
    return (version >= 2 ? asksModel : operation !== 'sanitize') ? [MAIN, CHAT_MODEL] : [MAIN];
  },
  aiCode: ofCode('inputs', 'input'),
};

/** Outputs by the name after the package. */
const OUTPUTS: Readonly<Record<string, Compute>> = {
  switch: ({ mode, numberOutputs, outputsAmount, rules, options }, version) => {
    if (mode === 'expression') return main(numbered(numberOutputs ?? outputsAmount, 4));
    const given = objectOf(rules);
    const names = objectsIn(given.values ?? given.rules).map(({ outputKey }, index) => outputKey || index);
    const { fallbackOutput, renameFallbackOutput } = objectOf(options);
    return main(version >= 3 && fallbackOutput === 'extra' ? [...names, renameFallbackOutput || 'Fallback'] : names);
  },
  webhook: ({ httpMethod }) => main(Array.isArray(httpMethod) ? httpMethod : [httpMethod]),
  respondToWebhook: ({ enableResponseOutput }, version) =>
    version === 1.3 || (version >= 1.4 && enableResponseOutput) ? main(['Input Data', 'Response']) : [MAIN],
  evaluation: ({ operation }) => (operation === 'checkIfEvaluating' ? main(['Evaluation', 'Normal']) : [MAIN]),
  sentimentAnalysis: ({ options }) => {
    const { categories = 'Positive, Neutral, Negative' } = objectOf(options);
    return main(
      String(categories)
        .split(',')
        .map((name) => name.trim()),
    );
  },
  textClassifier: ({ categories, options }) => {
    const names = objectsIn(objectOf(categories).categories).map(({ category }) => category);
    return main(objectOf(options).fallback === 'other' ? [...names, 'Other'] : names);
  },
  guardrails: ({ operation = 'classify' }) => (operation === 'classify' ? main(['Pass', 'Fail']) : [MAIN]),
  aiCode: ofCode('outputs', 'output'),
};

/** Returns the facts about a node that decide its ports; undefined for a type or version that the catalog does not know. */
export function ownerOf(node: JsonObject, catalog: NodeCatalog): PortOwner | undefined {
  const typeVersion = typeof node.typeVersion === 'number' ? node.typeVersion : undefined;
  const looked = catalog.lookup(String(node.type), typeVersion);
  if (!('found' in looked)) return undefined;
  const description = looked.found;
  const given = isObject(node.parameters) ? node.parameters : {};
  const shownBy = { typeVersion, isTool: description.name.endsWith('Tool') };
  try {
    const parameters = withDefaults(description.properties, given, shownBy);
    return { description, parameters, typeVersion, onError: node.onError };
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** Returns the inputs of a node in order; undefined when an unknown expression decides. */
export function inputsOf(owner: PortOwner): readonly Port[] | undefined {
  const { inputs, inputNames } = owner.description;
  return typeof inputs === 'string' ? computedInputs(owner) : named(inputs, inputNames);
}

/** Returns the outputs of a node in order, with its error output; undefined when an unknown expression decides. */
export function outputsOf(owner: PortOwner): readonly Port[] | undefined {
  const { outputs, outputNames } = owner.description;
  const own = typeof outputs === 'string' ? computedOutputs(owner) : named(outputs, outputNames);
  if (own === undefined || owner.onError !== 'continueErrorOutput') return own;
  const steps = own.filter(({ type }) => type === 'main');
  if (steps.length === 0) return own;
  const isAlone = steps.length === 1 && steps[0]?.name === '';
  return [...(isAlone ? [{ type: 'main', name: 'Success' }] : own), { type: 'main', name: 'Error' }];
}

function named(ports: readonly NodePort[], names: readonly string[] = []): Port[] {
  return ports.map((port, index) => {
    const { type, displayName, required } = typeof port === 'string' ? { type: port } : { ...port };
    return { type, name: names[index] || displayName || '', required: required || undefined };
  });
}

/** Returns the inputs of a type whose description computes them. Toolwright never evaluates n8n's expressions. */
function computedInputs(owner: PortOwner): readonly Port[] | undefined {
  return compute(owner, INPUTS, vectorStoreInputs);
}

/** Returns the outputs of a type whose description computes them. */
function computedOutputs(owner: PortOwner): readonly Port[] | undefined {
  return compute(owner, OUTPUTS, vectorStoreOutputs);
}

function compute(
  { description, parameters, typeVersion }: PortOwner,
  table: Readonly<Record<string, Compute>>,
  vectorStore: Compute,
): readonly Port[] | undefined {
  const short = shortName(description.name);
  const isOfN8n = /^(n8n-nodes-base|@n8n\/n8n-nodes-langchain)\./.test(description.name);
  if (!isOfN8n) return undefined;
  // Two types have this name: the one for AI takes its ports from its parameters.
  const key = description.name === '@n8n/n8n-nodes-langchain.code' ? 'aiCode' : short;
  const known = Object.hasOwn(table, key) ? table[key] : short.startsWith('vectorStore') ? vectorStore : undefined;
  return known?.(parameters, typeVersion ?? Math.max(1, ...description.version));
}

function main(names: readonly unknown[]): Port[] {
  return names.map((name) => ({ type: 'main', name: String(name ?? '') }));
}

function ai(type: string, name: string, required = false): Port {
  return { type: `ai_${type}`, name, required: required ? true : undefined };
}

/** Returns the numbers from 0 as names. A hostile workflow may ask for any number of ports. */
function numbered(count: unknown, fallback: number): string[] {
  const length = Math.min(Number(count) || fallback, MAX_PORTS);
  return Array.from({ length: Math.max(0, length) }, (_, index) => String(index));
}

function agent(isStep: boolean): Compute {
  return ({ hasOutputParser, needsFallback }) => [
    ...(isStep ? [MAIN] : []),
    CHAT_MODEL,
    ...(needsFallback === true ? [FALLBACK] : []),
    ai('memory', 'Memory'),
    ai('tool', 'Tool'),
    ...(hasOutputParser === undefined || hasOutputParser === true ? [ai('outputParser', 'Output Parser')] : []),
  ];
}

function vectorStoreInputs({ mode, useReranker }: JsonObject): readonly Port[] {
  const kind = String(mode);
  const ranks = ['load', 'retrieve', 'retrieve-as-tool'].includes(kind) && useReranker === true;
  return [
    ai('embedding', 'Embedding', true),
    ...(ranks ? [ai('reranker', 'Reranker', true)] : []),
    ...(['insert', 'load', 'update'].includes(kind) ? [MAIN] : []),
    ...(kind === 'insert' ? [ai('document', 'Document', true)] : []),
  ];
}

function vectorStoreOutputs({ mode = 'retrieve' }: JsonObject): readonly Port[] {
  if (mode === 'retrieve-as-tool') return [ai('tool', 'Tool')];
  return mode === 'retrieve' ? [ai('vectorStore', 'Vector Store')] : [MAIN];
}
