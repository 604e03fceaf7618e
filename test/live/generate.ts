import type { NodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import {
  isChoice,
  isGroup,
  isProperty,
  type NodeDescription,
  type NodeProperty,
} from '../../packages/n8n/src/catalogs/description.ts';

/** Returns numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TEXTS = ['abc', 'hello world', 'https://example.com', 'a@b.co', '42', '2024-01-01', 'true', '', '={{ $json.v }}'];
const LOCATED = [
  '',
  'abc',
  '123',
  '={{ $json.id }}',
  'https://docs.google.com/spreadsheets/d/1AbC_d-ef1234567890/edit',
];
const WRONG = [null, {}, [], 'x y', '1a', 0, false, [null], { value: '' }];
const MAX_DEPTH = 3;

/**
 * Returns a webhook that leads to one node of a type, in any of its versions. Some parameters and credentials are set,
 * missing or wrong. n8n publishes about as many of these workflows as it refuses.
 */
export function anyWorkflow(type: string, catalog: NodeCatalog, random: () => number): object {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const typeVersion = pick(catalog.versions(type));
  const description = catalog.describe(type, typeVersion);
  const density = pick([0.1, 0.3, 0.6]);
  const parameters: Record<string, unknown> = {};
  for (const property of description.properties) {
    if (property.name in parameters || random() > (property.required ? 0.93 : density)) continue;
    const value = anyValue(property, pick, random, 0);
    if (value !== undefined) parameters[property.name] = value;
  }
  const path = `generated-${Math.floor(random() * 1e9)}`;
  const webhook = { id: 'w', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] };
  const node = { id: 'n', name: 'Node', type, typeVersion, position: [200, 0], parameters };
  return {
    name: `Generated ${type}`,
    nodes: [
      { ...webhook, parameters: { path }, webhookId: path },
      { ...node, credentials: anyCredentials(description, pick, random) },
    ],
    connections: { Webhook: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
  };
}

type Pick = <T>(from: readonly T[]) => T;

function anyCredentials({ credentials = [] }: NodeDescription, pick: Pick, random: () => number): object {
  const given = credentials.filter(() => random() < 0.85);
  return Object.fromEntries(
    given.map(({ name }) => [name, random() < 0.95 ? { id: 'x', name } : pick([{}, { name }])]),
  );
}

function anyValue(property: NodeProperty, pick: Pick, random: () => number, depth: number): unknown {
  const { type, options = [], modes = [], typeOptions } = property;
  if (random() < 0.08) return pick(WRONG);
  if (depth > MAX_DEPTH) return undefined;
  const some = (members: readonly NodeProperty[]): object => {
    const filled = members
      .filter(() => random() < 0.6)
      .map((member) => [member.name, anyValue(member, pick, random, depth + 1)]);
    return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
  };
  switch (type) {
    case 'options':
    case 'multiOptions': {
      const choices = options.filter(isChoice).map(({ value }) => value);
      const value = choices.length > 0 ? pick(choices) : 'abc';
      return type === 'options' ? value : [value];
    }
    case 'boolean':
      return random() < 0.5;
    case 'number':
      return pick([0, 1, 5, '7']);
    case 'json':
      return pick(['{}', '{"a": 1}', '{']);
    case 'resourceLocator':
      return { __rl: true, mode: modes.length > 0 ? pick(modes).name : 'id', value: pick(LOCATED) };
    case 'workflowSelector':
      return { __rl: true, mode: 'id', value: pick(['', '={{ $json.id }}', 'abc']) };
    case 'collection':
      return some(options.filter(isProperty));
    case 'fixedCollection': {
      const groups = options.filter(isGroup).filter(() => random() < 0.6);
      const isMany = typeOptions?.multipleValues !== undefined;
      return Object.fromEntries(groups.map(({ name, values }) => [name, isMany ? [some(values)] : some(values)]));
    }
    case 'filter':
    case 'assignmentCollection':
    case 'resourceMapper':
      return undefined;
    default:
      return pick(TEXTS);
  }
}
