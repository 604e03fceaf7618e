import { isObject, type JsonObject } from '../json.ts';
import type { CredentialDescription, NodeDescription, NodeProperty } from './description.ts';

/** Facts about a node type that its description lacks. */
export interface NodeFacts {
  /** The node class looks up its versions. Default: true when the type has several descriptions. */
  readonly isVersioned?: boolean | undefined;
  /** The node class can start a workflow or answer a webhook. Default: taken from the description. */
  readonly isTriggerLike?: boolean | undefined;
}

const PROPERTY_KEYS = [
  'name',
  'type',
  'displayName',
  'description',
  'hint',
  'placeholder',
  'default',
  'required',
  'noDataExpression',
  'validateType',
  'displayOptions',
  'modes',
] as const;
/** Type options that restrict values. Options for the editor are dropped. */
const TYPE_OPTION_KEYS = [
  'multipleValues',
  'minValue',
  'maxValue',
  'password',
  'minRequiredFields',
  'maxAllowedFields',
  'loadOptionsMethod',
  'resourceMapper',
  'editor',
  'filter',
] as const;
/** Nodes in the trigger group that cannot start a published workflow. */
const STARTS_NOTHING = /\.evaluationTrigger$/;

/** Reduces a raw node description to the keys that searching, describing and checking need. `packageName` completes a short name. */
export function reduceNode(raw: JsonObject, packageName: string, facts: NodeFacts): NodeDescription {
  const short = String(raw.name);
  const name = short.includes('.') ? short : `${packageName}.${short}`;
  const group = strings(raw.group);
  const alias = isObject(raw.codex) ? strings(raw.codex.alias) : [];
  const defaultName = isObject(raw.defaults) ? raw.defaults.name : raw.defaultName;
  const webhooks = Array.isArray(raw.webhooks) ? raw.webhooks.filter(isObject) : [];
  const looksTriggerLike = raw.polling === true || webhooks.length > 0 || group.includes('trigger');
  const isTriggerLike = looksTriggerLike && !STARTS_NOTHING.test(name) && facts.isTriggerLike !== false;
  return {
    name,
    displayName: String(raw.displayName ?? short),
    defaultName: typeof defaultName === 'string' && defaultName !== raw.displayName ? defaultName : undefined,
    skipNameGeneration: raw.skipNameGeneration === true ? true : undefined,
    description: String(raw.description ?? ''),
    group,
    alias: alias.length > 0 ? alias : undefined,
    version: numbers(raw.version),
    defaultVersion: typeof raw.defaultVersion === 'number' ? raw.defaultVersion : undefined,
    inputs: ports(raw.inputs),
    outputs: ports(raw.outputs),
    inputNames: Array.isArray(raw.inputNames) ? strings(raw.inputNames) : undefined,
    outputNames: Array.isArray(raw.outputNames) ? strings(raw.outputNames) : undefined,
    credentials: Array.isArray(raw.credentials) ? raw.credentials.filter(isObject).map(reduceCredential) : undefined,
    properties: properties(raw.properties),
    usableAsTool: raw.usableAsTool ? true : undefined,
    webhooks: webhooks.length > 0 ? webhooks : undefined,
    isTriggerLike: isTriggerLike || undefined,
    isVersioned: facts.isVersioned ? true : undefined,
  };
}

/** Reduces a raw credential type to its name and its fields. */
export function reduceCredentialType(raw: JsonObject, packageName: string): CredentialDescription {
  return {
    name: String(raw.name),
    displayName: String(raw.displayName ?? raw.name),
    supportedNodes: Array.isArray(raw.supportedNodes)
      ? strings(raw.supportedNodes).map((node) => (node.includes('.') ? node : `${packageName}.${node}`))
      : undefined,
    extends: Array.isArray(raw.extends) ? strings(raw.extends) : undefined,
    properties: properties(raw.properties),
  };
}

function reduceCredential(raw: JsonObject): NonNullable<NodeDescription['credentials']>[number] {
  return pick(raw, ['name', 'displayName', 'required', 'displayOptions']);
}

function properties(raw: unknown): NodeProperty[] {
  return Array.isArray(raw) ? raw.filter(isObject).map(reduceProperty) : [];
}

function reduceProperty(raw: JsonObject): NodeProperty {
  const typeOptions = isObject(raw.typeOptions) ? pick<object>(raw.typeOptions, TYPE_OPTION_KEYS) : {};
  const options = Array.isArray(raw.options) ? raw.options.filter(isObject).map(reduceOption) : undefined;
  return pick(raw, PROPERTY_KEYS, {
    typeOptions: Object.keys(typeOptions).length > 0 ? typeOptions : undefined,
    options,
  });
}

function reduceOption(raw: JsonObject): NonNullable<NodeProperty['options']>[number] {
  if (Array.isArray(raw.values)) return pick(raw, ['name', 'displayName'], { values: properties(raw.values) });
  if (typeof raw.type === 'string' && !('value' in raw)) return reduceProperty(raw);
  return pick(raw, ['name', 'value', 'description', 'action']);
}

function ports(raw: unknown): NodeDescription['inputs'] {
  if (typeof raw === 'string') return raw;
  if (!Array.isArray(raw)) return ['main'];
  return raw.map((port) => (isObject(port) ? pickPort(port) : String(port)));
}

function pickPort(port: JsonObject): Exclude<NodeDescription['inputs'][number], string> {
  return pick(port, ['displayName', 'required', 'maxConnections'], { type: String(port.type ?? 'main') });
}

/** Copies the defined keys. Descriptions published by n8n are trusted to have the declared types. */
function pick<T>(from: JsonObject, keys: readonly string[], added: object = {}): T {
  const kept = Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
  return { ...kept, ...added } as T;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function numbers(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'number');
}
