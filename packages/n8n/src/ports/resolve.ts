import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { NodePort } from '../catalogs/description.ts';
import { isObject, type JsonObject } from '../json.ts';
import { computedInputs, computedOutputs } from './computed.ts';
import { ShapeError, withDefaults } from './defaults.ts';
import type { Port, PortOwner } from './port.ts';

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
