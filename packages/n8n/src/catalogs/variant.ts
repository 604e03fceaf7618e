import { isChoice, type NodeDescription, type NodeProperty } from './description.ts';

/** The operation that sends a question to a person and waits for the answer. */
const SEND_AND_WAIT = 'sendAndWait';

/** Returns the base type of a tool variant: `slack` for `slackTool` and `slackHitlTool`; undefined for other names. */
export function toolSource(type: string): { readonly base: string; readonly kind: 'Tool' | 'HitlTool' } | undefined {
  if (!type.endsWith('Tool')) return undefined;
  return type.endsWith('HitlTool')
    ? { base: type.slice(0, -'HitlTool'.length), kind: 'HitlTool' }
    : { base: type.slice(0, -'Tool'.length), kind: 'Tool' };
}

/** Returns the node as n8n offers it to an AI agent: without input, with a tool output and a tool description. */
export function toolOf({ outputNames: _ofSteps, inputNames: _before, ...base }: NodeDescription): NodeDescription {
  const names = new Set(base.properties.map(({ name }) => name));
  const describesItself = names.has('resource') || names.has('operation');
  const lastCallout = base.properties.findLastIndex(({ type }) => type === 'callout');
  const described: NodeProperty = {
    name: 'toolDescription',
    displayName: 'Description',
    type: 'string',
    default: base.description,
    required: true,
    description: 'What the tool does, for the agent',
    displayOptions: describesItself ? { show: { descriptionType: ['manual'] } } : undefined,
  };
  const own: NodeProperty[] = names.has('toolDescription')
    ? []
    : [...(describesItself ? [DESCRIPTION_TYPE] : []), described];
  return {
    ...base,
    name: `${base.name}Tool`,
    displayName: `${base.displayName} Tool`,
    defaultName: base.defaultName ?? base.displayName,
    inputs: [],
    outputs: ['ai_tool'],
    usableAsTool: false,
    properties: [...base.properties.slice(0, lastCallout + 1), ...own, ...base.properties.slice(lastCallout + 1)],
  };
}

const DESCRIPTION_TYPE: NodeProperty = {
  name: 'descriptionType',
  displayName: 'Tool Description',
  type: 'options',
  noDataExpression: true,
  default: 'auto',
  options: [
    { name: 'Set Automatically', value: 'auto' },
    { name: 'Set Manually', value: 'manual' },
  ],
};

/** Returns whether n8n can place a node between an agent and its tools, to ask a person. Nodes that serve agents cannot. */
export function canAskFirst({ properties, outputs }: NodeDescription): boolean {
  const serves =
    typeof outputs === 'string'
      ? /ai_|\.Ai/.test(outputs)
      : outputs.some((port) => (typeof port === 'string' ? port : port.type).startsWith('ai_'));
  return !serves && (askingResource(properties) !== undefined || properties.every(({ name }) => name !== 'resource'));
}

function askingResource(properties: readonly NodeProperty[]): unknown {
  const asking = properties.find(
    ({ name, options, displayOptions }) =>
      name === 'operation' &&
      displayOptions?.show?.resource !== undefined &&
      options?.some((option) => isChoice(option) && option.value === SEND_AND_WAIT),
  );
  return asking?.displayOptions?.show?.resource?.[0];
}

/** Returns the node as n8n places it between an agent and its tools: it asks a person first. */
export function hitlToolOf({ outputNames: _ofSteps, inputNames: _before, ...base }: NodeDescription): NodeDescription {
  const resource = askingResource(base.properties);
  const fixed = (name: string, value: unknown): NodeProperty => ({ name, type: 'hidden', default: value });
  const properties = base.properties.flatMap((property): NodeProperty[] => {
    if (property.name === 'resource') return resource === undefined ? [] : [fixed('resource', resource)];
    if (property.name === 'operation') return [fixed('operation', SEND_AND_WAIT)];
    if (property.name === 'responseType') return [fixed('responseType', 'approval')];
    return property.name === 'message' ? [] : [property];
  });
  const message: NodeProperty = {
    name: 'message',
    displayName: 'Message',
    type: 'string',
    required: true,
    default: '=The agent wants to call {{ $tool.name }}',
  };
  return {
    ...base,
    name: `${base.name}HitlTool`,
    inputs: [{ type: 'ai_tool', displayName: 'Tool', required: true }],
    outputs: ['ai_tool'],
    properties: [message, ...properties],
  };
}
