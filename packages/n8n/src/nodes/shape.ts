import { isChoice, isGroup, isProperty, type NodeProperty } from '../catalogs/description.ts';
import { isObject } from '../json.ts';

const MAX_CHOICES = 8;
const MAX_MEMBERS = 8;
const MAX_DEPTH = 2;

/**
 * Returns the type of a parameter in TypeScript notation: `"GET"|"POST"`, `{values: {name: string, value: string}[]}`. Long
 * lists end with `…`.
 */
export function shapeText(property: NodeProperty, depth = 0): string {
  const one = singleShape(property, depth);
  const isList = property.typeOptions?.multipleValues === true && property.type !== 'fixedCollection';
  return isList ? `${one}[]` : one;
}

function singleShape(property: NodeProperty, depth: number): string {
  switch (property.type) {
    case 'boolean':
    case 'number':
      return property.type;
    case 'options':
    case 'multiOptions': {
      const choices = (property.options ?? []).filter(isChoice).map((choice) => JSON.stringify(choice.value));
      const text = choices.length === 0 ? 'string' : limited(choices, MAX_CHOICES).join('|');
      return property.type === 'options' ? text : `(${text})[]`;
    }
    case 'resourceLocator': {
      const modes = (property.modes ?? []).map(({ name }) => JSON.stringify(name)).join('|') || 'string';
      return `{__rl: true, mode: ${modes}, value: string}`;
    }
    case 'collection':
      return members((property.options ?? []).filter(isProperty), depth);
    case 'fixedCollection': {
      const suffix = property.typeOptions?.multipleValues === true ? '[]' : '';
      const groups = (property.options ?? []).filter(isGroup);
      return `{${groups.map(({ name, values }) => `${name}: ${members(values, depth)}${suffix}`).join(', ')}}`;
    }
    case 'filter':
      return FILTER;
    case 'assignmentCollection':
      return '{assignments: {id: string, name: string, value: unknown, type: "string"|"number"|"boolean"|"array"|"object"}[]}';
    case 'resourceMapper':
      return mapperShape(property);
    case 'workflowSelector':
      return '{__rl: true, mode: "id", value: string}';
    case 'json':
      return 'string of JSON';
    case 'dateTime':
      return 'ISO date';
    default:
      return 'string';
  }
}

/** Returns the shape of a mapping of columns. The names of the columns are in the user's service, not in the catalog. */
function mapperShape({ typeOptions }: NodeProperty): string {
  const mapper = isObject(typeOptions?.resourceMapper) ? typeOptions.resourceMapper : {};
  const modes = mapper.supportAutoMap === false ? '"defineBelow"' : '"defineBelow"|"autoMapInputData"';
  const words = isObject(mapper.fieldWords) ? String(mapper.fieldWords.singular) : 'column';
  const matching = mapper.mode === 'update' || mapper.mode === 'upsert' ? ', matchingColumns: string[]' : '';
  return `{mappingMode: ${modes}, value: {<${words}>: value}${matching}, schema: []}`;
}

const FILTER =
  '{options: {version: 2}, combinator: "and"|"or", conditions: {leftValue, rightValue, operator: {type: "string"|"number"|"boolean", operation: "equals"|"contains"|"gt"|…}}[]}';

function members(properties: readonly NodeProperty[], depth: number): string {
  if (depth >= MAX_DEPTH) return '{…}';
  const names = new Map<string, NodeProperty>();
  for (const property of properties) if (!names.has(property.name)) names.set(property.name, property);
  const texts = [...names.values()].map((property) => {
    const mark = property.required ? '' : '?';
    return `${property.name}${mark}: ${shapeText(property, depth + 1)}`;
  });
  return `{${limited(texts, MAX_MEMBERS).join(', ')}}`;
}

function limited(texts: readonly string[], most: number): string[] {
  return texts.length <= most ? [...texts] : [...texts.slice(0, most), '…'];
}
