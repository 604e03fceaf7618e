import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isChoice, isGroup, isProperty, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { pathParts } from '../json.ts';
import { shapeText } from './shape.ts';
import { checkSelection, type Selection, visibleProperties } from './visible.ts';

/** All facts about one parameter. */
export interface PropertyDetail {
  readonly path: string;
  readonly type: string;
  readonly shape: string;
  readonly description?: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly choices?: readonly { readonly value: unknown; readonly name: string }[];
  /** Parameter values that show this parameter. */
  readonly shownWhen?: unknown;
  /** Names of the parameters inside it. */
  readonly members?: readonly string[];
}

/** Returns all facts about one parameter, such as `options.timeout`. Raises `INVALID_ARGUMENTS` with similar names. */
export function nodeProperty(catalog: NodeCatalog, type: string, path: string, wanted: Selection): PropertyDetail {
  const description = catalog.describe(type, wanted.version);
  const selection = checkSelection(description, wanted);
  const parts = pathParts(path.replace(/^parameters\./, '')).filter((part) => !/^\d+$/.test(part));
  const property = find(description, parts, selection);
  if (!property) throw missing(description, path);
  const choices = (property.options ?? []).filter(isChoice).map(({ value, name }) => ({ value, name }));
  const members = membersOf(property).map(({ name }) => name);
  const text = [property.description, property.hint].filter((line) => line !== undefined).join(' ');
  return {
    path: parts.join('.'),
    type: property.type,
    shape: shapeText(property),
    description: text === '' ? undefined : text.replace(/<[^>]+>/g, ''),
    required: property.required === true,
    default: property.default,
    choices: choices.length > 0 ? choices : undefined,
    shownWhen: property.displayOptions,
    members: members.length > 0 ? [...new Set(members)] : undefined,
  };
}

function find(description: NodeDescription, parts: readonly string[], selection: Selection): NodeProperty | undefined {
  const [name = '', ...rest] = parts;
  const visible = visibleProperties(description, selection).find((property) => property.name === name);
  const start = visible ?? description.properties.find((property) => property.name === name);
  return rest.reduce<NodeProperty | undefined>((property, part) => {
    if (property === undefined) return undefined;
    const group = (property.options ?? []).filter(isGroup).find((each) => each.name === part);
    // A group is described like a collection of its members.
    if (group) return { name: group.name, type: 'collection', options: group.values };
    return membersOf(property).find((member) => member.name === part);
  }, start);
}

function membersOf({ type, options = [] }: NodeProperty): NodeProperty[] {
  if (type !== 'collection' && type !== 'fixedCollection') return [];
  return options.flatMap((option) => (isGroup(option) ? option.values : isProperty(option) ? [option] : []));
}

function missing(description: NodeDescription, path: string): ToolwrightError {
  const all = paths(description.properties, '');
  const near = suggest(path, all, 4);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  return new ToolwrightError(
    'INVALID_ARGUMENTS',
    `${description.name} has no parameter "${path}".${hint} Call getNodeEssentials to list the parameters.`,
  );
}

function paths(properties: readonly NodeProperty[], before: string): Set<string> {
  const found = new Set<string>();
  for (const property of properties) {
    const path = `${before}${property.name}`;
    found.add(path);
    for (const option of property.options ?? []) {
      if (isGroup(option)) for (const inner of paths(option.values, `${path}.${option.name}.`)) found.add(inner);
      else if (isProperty(option)) found.add(`${path}.${option.name}`);
    }
  }
  return found;
}
