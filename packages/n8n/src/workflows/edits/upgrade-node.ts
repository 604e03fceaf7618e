import { isDeepStrictEqual } from 'node:util';
import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { isChoice, isGroup, isProperty, type NodeDescription, type NodeProperty } from '../../catalogs/description.ts';
import { isObject, type JsonObject, shown } from '../../json.ts';
import { ShapeError, withDefaults } from '../../ports/defaults.ts';
import { isShown, type Shown } from '../../ports/display.ts';
import { invalid } from '../../tool.ts';
import type { WorkflowBody } from '../body.ts';
import { linksOf } from '../links/connections.ts';
import { nodesOf } from '../links/ports.ts';
import { convertedParameters } from './older-parameters.ts';

/** The parameters of one version of a node. */
interface Form {
  readonly version: number;
  readonly description: NodeDescription;
  /** With defaults. */
  readonly values: JsonObject;
  /** The parameters that n8n shows for these values, by name. */
  readonly shown: ReadonlyMap<string, NodeProperty>;
}

/** Types of parameters without a value of their own. */
const NO_VALUES = new Set(['notice', 'callout', 'button', 'hidden']);
/** A value that is set shows further parameters, which have defaults too. */
const MAX_ROUNDS = 5;
const BEFORE_VERSIONS = 1;

/**
 * Returns a node in another version, with the same values: a default that changed is written out. Raises `INVALID_ARGUMENTS` for an
 * unknown or earlier version, and for a value or a connection that has no place in the new version.
 */
export function upgradedNode(
  workflow: WorkflowBody,
  node: JsonObject,
  wanted: unknown,
  catalog: NodeCatalog,
): JsonObject {
  const type = String(node.type);
  const from = typeof node.typeVersion === 'number' ? node.typeVersion : BEFORE_VERSIONS;
  const to = wanted === undefined ? (catalog.versions(catalog.describe(type).name).at(-1) ?? from) : Number(wanted);
  const after = catalog.describe(type, to);
  if (to < from) throw invalid(`"${node.name}" has version ${from}. Use a later version than that, not ${to}.`);
  if (to === from) return node;
  const given = isObject(node.parameters) ? node.parameters : {};
  const { parameters, problems } = parametersIn(after, to, formOf(catalog.describe(type, from), from, given), given);
  const upgraded = { ...node, typeVersion: to, parameters };
  problems.push(...changedPorts(workflow, node, upgraded, catalog));
  if (problems.length === 0) return upgraded;
  throw invalid(
    `Version ${to} of "${node.name}" cannot take over: ${problems.join(', ')}. ` +
      `Call getNodeEssentials with {version: ${to}}, then replaceNode with typeVersion ${to}, which keeps the fitting connections.`,
  );
}

/** Returns the parameters for another version, and the values that have no place there. */
function parametersIn(
  after: NodeDescription,
  to: number,
  before: Form,
  given: JsonObject,
): { readonly parameters: JsonObject; readonly problems: string[] } {
  // n8n ignores values of hidden parameters, and another version could show them.
  const used = Object.fromEntries(Object.entries(given).filter(([name]) => before.shown.has(name)));
  const converted = convertedParameters(after.name, used, before.version, to);
  try {
    const parameters = withOldDefaults(before, after, to, converted);
    const { shown } = formOf(after, to, parameters);
    const entries = Object.entries(parameters);
    return { parameters, problems: entries.flatMap(([name, value]) => misfits(name, value, shown.get(name))) };
  } catch (error) {
    if (error instanceof ShapeError) return { parameters: converted, problems: [error.message] };
    throw error;
  }
}

function formOf(description: NodeDescription, version: number, parameters: JsonObject): Form {
  const node: Shown = { typeVersion: version, isTool: description.name.endsWith('Tool') };
  const values = withDefaults(description.properties, parameters, node);
  const visible = description.properties.filter((property) => isShown(property, values, values, node));
  return { version, description, values, shown: new Map(visible.map((property) => [property.name, property])) };
}

/** Adds the values that were defaults before, and are none now. */
function withOldDefaults(
  { values, shown: old }: Form,
  after: NodeDescription,
  to: number,
  converted: JsonObject,
): Record<string, unknown> {
  let parameters = { ...converted };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const form = formOf(after, to, parameters);
    const missing = [...form.shown.values()].filter(
      ({ name, type }) =>
        !Object.hasOwn(parameters, name) &&
        old.get(name)?.type === type &&
        !NO_VALUES.has(type) &&
        !isDeepStrictEqual(values[name], form.values[name]),
    );
    if (missing.length === 0) break;
    parameters = { ...parameters, ...Object.fromEntries(missing.map(({ name }) => [name, values[name]])) };
  }
  return parameters;
}

/** Returns the parts of a value that a parameter does not accept. */
function misfits(path: string, value: unknown, property: NodeProperty | undefined): string[] {
  if (property === undefined) return [`${path} (${shown(value)})`];
  const options = property.options ?? [];
  if (typeof value === 'string' && value.startsWith('=')) return [];
  switch (property.type) {
    case 'options': {
      const choices = options.filter(isChoice);
      const isKnown = choices.length === 0 || choices.some((choice) => choice.value === value);
      return isKnown ? [] : [`${path} (${shown(value)})`];
    }
    case 'resourceLocator':
      return isObject(value) ? [] : [`${path}, which is {__rl: true, mode, value} now`];
    case 'collection':
      return membersOf(path, value, new Map(options.filter(isProperty).map((each) => [each.name, each])));
    case 'fixedCollection':
      return Object.entries(isObject(value) ? value : {}).flatMap(([name, held]) => {
        const group = options.filter(isGroup).find((each) => each.name === name);
        const members = new Map((group?.values ?? []).map((each) => [each.name, each]));
        const list = Array.isArray(held) ? held : [held];
        return list.flatMap((each, index) => membersOf(`${path}.${name}[${index}]`, each, members));
      });
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === property.type || value === null ? [] : [`${path} (${shown(value)})`];
    default:
      return [];
  }
}

function membersOf(path: string, value: unknown, members: ReadonlyMap<string, NodeProperty>): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    members.has(name) ? [] : [`${path}.${name} (${shown(held)})`],
  );
}

/** Returns the inputs and outputs that have connections and differ between two versions. */
function changedPorts(workflow: WorkflowBody, node: JsonObject, upgraded: JsonObject, catalog: NodeCatalog): string[] {
  const name = String(node.name);
  const links = linksOf(workflow.connections);
  const [before, after] = [node, upgraded].map((each) => nodesOf([each], catalog).ports(name));
  const ends = { inputs: links.some(({ to }) => to === name), outputs: links.some(({ from }) => from === name) };
  return (['inputs', 'outputs'] as const).flatMap((side) => {
    const names = (ports = before): unknown => ports?.[side]?.map(({ type, name: label }) => [type, label]);
    return ends[side] && !isDeepStrictEqual(names(before), names(after))
      ? [`the connections of its ${side}, which differ`]
      : [];
  });
}
