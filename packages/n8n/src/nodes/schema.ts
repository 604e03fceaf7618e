import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isChoice, isGroup, isProperty, type NodeProperty } from '../catalogs/description.ts';
import type { ValueSchema } from '../tool.ts';
import { checkSelection, type Selection, visibleProperties } from './visible.ts';

/**
 * Returns the full JSON Schema of a node's parameters for one operation. It is large: use it in programs, not in prompts. Any
 * value may also be an expression. Raises `INVALID_ARGUMENTS`.
 */
export function nodeSchema(catalog: NodeCatalog, type: string, wanted: Selection): ValueSchema {
  const description = catalog.describe(type, wanted.version);
  const selection = checkSelection(description, wanted);
  const visible = visibleProperties(description, selection);
  const chosen = (name: 'resource' | 'operation', property: ValueSchema): ValueSchema =>
    selection[name] === undefined ? property : { ...property, const: selection[name] };
  const properties = visible.map((property): [string, ValueSchema] => {
    const schema = propertySchema(property);
    const { name } = property;
    return [name, name === 'resource' || name === 'operation' ? chosen(name, schema) : schema];
  });
  return {
    type: 'object',
    title: description.displayName,
    properties: Object.fromEntries(properties),
    required: visible.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertySchema(property: NodeProperty): ValueSchema {
  const { description, default: fallback, typeOptions = {} } = property;
  const bare = valueSchema(property);
  const isList = typeOptions.multipleValues === true && property.type !== 'fixedCollection';
  return {
    ...(isList ? { type: 'array', items: bare } : bare),
    ...(description === undefined ? {} : { description: description.replace(/<[^>]+>/g, '') }),
    ...(fallback === undefined || fallback === '' ? {} : { default: fallback }),
  };
}

function valueSchema(property: NodeProperty): ValueSchema {
  const { options = [], typeOptions = {}, modes = [] } = property;
  switch (property.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      return {
        type: 'number',
        minimum: typeof typeOptions.minValue === 'number' ? typeOptions.minValue : undefined,
        maximum: typeof typeOptions.maxValue === 'number' ? typeOptions.maxValue : undefined,
      };
    case 'options':
      return options.some(isChoice) ? { enum: options.filter(isChoice).map(({ value }) => value) } : { type: 'string' };
    case 'multiOptions':
      return { type: 'array', items: { enum: options.filter(isChoice).map(({ value }) => value) } };
    case 'resourceLocator':
      return object({
        __rl: { const: true },
        mode: { enum: modes.map(({ name }) => name) },
        value: { type: ['string', 'number'] },
      });
    case 'collection':
      return object(Object.fromEntries(options.filter(isProperty).map((each) => [each.name, propertySchema(each)])));
    case 'fixedCollection': {
      const isList = typeOptions.multipleValues === true;
      const groups = options.filter(isGroup).map(({ name, values }) => {
        const group = object(Object.fromEntries(values.map((each) => [each.name, propertySchema(each)])));
        return [name, isList ? { type: 'array', items: group } : group];
      });
      return object(Object.fromEntries(groups));
    }
    case 'filter':
    case 'assignmentCollection':
    case 'resourceMapper':
      return { type: 'object' };
    default:
      return { type: 'string' };
  }
}

function object(properties: Readonly<Record<string, ValueSchema>>): ValueSchema {
  return { type: 'object', properties };
}
