import { isDeepStrictEqual } from 'node:util';
import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isChoice, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { isShown } from '../ports/display.ts';
import { shapeText } from './shape.ts';

/** The differences between two versions of a node. */
export interface VersionChanges {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The old and new values that a parameter accepts. */
  readonly changed: readonly { readonly name: string; readonly from: string; readonly to: string }[];
}

/** Returns the parameters that a version of a node adds, drops or changes. Raises `INVALID_ARGUMENTS` for unknown versions. */
export function compareVersions(catalog: NodeCatalog, type: string, from: number, to: number): VersionChanges {
  const versions = catalog.versions(catalog.describe(type).name);
  for (const version of [from, to]) {
    if (versions.includes(version)) continue;
    const message = `${type} has no version ${version}. Use one of: ${versions.join(', ')}.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const before = parametersOf(catalog.describe(type, from), from);
  const after = parametersOf(catalog.describe(type, to), to);
  const common = [...after.keys()].filter((name) => before.has(name));
  return {
    type: catalog.describe(type).name,
    from,
    to,
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: common.flatMap((name) => {
      const [old = [], now = []] = [before.get(name), after.get(name)];
      if (isDeepStrictEqual(old.map(essence), now.map(essence))) return [];
      return [{ name, from: summarize(old), to: summarize(now) }];
    }),
  };
}

/** Groups by name all parameters that a version may show. */
function parametersOf({ properties }: NodeDescription, version: number): Map<string, NodeProperty[]> {
  const node = { typeVersion: version, isTool: false };
  const found = new Map<string, NodeProperty[]>();
  for (const property of properties) {
    const show = property.displayOptions?.show?.['@version'];
    const hide = property.displayOptions?.hide?.['@version'];
    const rules = { show: show ? { '@version': show } : undefined, hide: hide ? { '@version': hide } : undefined };
    if (!isShown({ displayOptions: rules }, {}, {}, node)) continue;
    found.set(property.name, [...(found.get(property.name) ?? []), property]);
  }
  return found;
}

function essence(property: NodeProperty): unknown {
  const choices = property.options?.filter(isChoice).map(({ value }) => value);
  return [property.type, property.default, property.required === true, choices, shapeText(property)];
}

function summarize(properties: readonly NodeProperty[]): string {
  const texts = properties.map((property) => `${shapeText(property)} = ${JSON.stringify(property.default)}`);
  return [...new Set(texts)].join(' or ').slice(0, 300);
}
