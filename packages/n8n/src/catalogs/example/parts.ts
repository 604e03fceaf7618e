import type { DisplayOptions, NodeDescription, NodeProperty, PropertyChoice } from '../description.ts';

type Extra = Omit<Partial<NodeProperty>, 'name' | 'type'>;

/** Returns the display options of parameters that are shown for these values. */
export function when(show: Readonly<Record<string, readonly unknown[]>>): { displayOptions: DisplayOptions } {
  return { displayOptions: { show } };
}

export function text(name: string, displayName: string, extra: Extra = {}): NodeProperty {
  return { name, displayName, type: 'string', default: '', ...extra };
}

export function flag(name: string, displayName: string, extra: Extra = {}): NodeProperty {
  return { name, displayName, type: 'boolean', default: false, ...extra };
}

export function count(name: string, displayName: string, value: number, extra: Extra = {}): NodeProperty {
  return { name, displayName, type: 'number', default: value, ...extra };
}

/** Returns a parameter with choices by value; the first one is the default. `actions` are the actions of operations. */
export function choice(
  name: string,
  displayName: string,
  choices: Readonly<Record<string, string>>,
  { actions = {}, ...extra }: Extra & { readonly actions?: Readonly<Record<string, string>> } = {},
): NodeProperty {
  const options: PropertyChoice[] = Object.entries(choices).map(([value, words]) => {
    const action = actions[value];
    return { name: words, value, action };
  });
  return { name, displayName, type: 'options', default: options[0]?.value, options, ...extra };
}

export function collection(
  name: string,
  displayName: string,
  members: readonly NodeProperty[],
  extra: Extra = {},
): NodeProperty {
  return { name, displayName, type: 'collection', default: {}, options: members, ...extra };
}

/** Returns a parameter with a list of elements in one group. */
export function list(
  name: string,
  displayName: string,
  group: string,
  values: readonly NodeProperty[],
  extra: Extra = {},
): NodeProperty {
  const options = [{ name: group, displayName: group, values }];
  return {
    name,
    displayName,
    type: 'fixedCollection',
    default: {},
    typeOptions: { multipleValues: true },
    options,
    ...extra,
  };
}

export function locator(name: string, displayName: string, extra: Extra = {}): NodeProperty {
  const modes = [{ name: 'list' }, { name: 'id' }, { name: 'name' }];
  return { name, displayName, type: 'resourceLocator', default: { mode: 'list', value: '' }, modes, ...extra };
}

type NodeParts = Pick<NodeDescription, 'displayName' | 'description' | 'version' | 'properties'> &
  Partial<NodeDescription>;

export function baseNode(name: string, parts: NodeParts): NodeDescription {
  return { name: `n8n-nodes-base.${name}`, group: ['transform'], inputs: ['main'], outputs: ['main'], ...parts };
}

export function aiNode(name: string, parts: NodeParts): NodeDescription {
  return {
    name: `@n8n/n8n-nodes-langchain.${name}`,
    group: ['transform'],
    inputs: ['main'],
    outputs: ['main'],
    ...parts,
  };
}
