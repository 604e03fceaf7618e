import type { NodeCatalog } from '../../catalogs/catalog.ts';
import type { LocatorMode } from '../../catalogs/description.ts';
import { isObject, shown } from '../../json.ts';
import { isShown } from '../../ports/display.ts';
import type { Finding } from '../finding.ts';
import type { CheckedNode } from '../publish.ts';
import type { LintRule } from './report.ts';

/** Reports mappings without columns, such as appending to a sheet, and locators that are a text. */
export const columnRule: LintRule = ({ checked, catalog }) =>
  checked.flatMap((each) => {
    const { node, description, parameters } = each;
    if (node.disabled) return [];
    const shownBy = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
    const visible = description.properties.filter(
      (property) =>
        (property.type === 'resourceMapper' || property.type === 'resourceLocator') &&
        isShown(property, parameters, parameters, shownBy),
    );
    return visible.flatMap(({ type, name, typeOptions, modes = [] }) => {
      if (type === 'resourceLocator') return locatorFindings(each, name, modes, catalog);
      const mapper = isObject(typeOptions?.resourceMapper) ? typeOptions.resourceMapper : {};
      return mapper.mode === 'map' ? [] : mappingFindings(each, name, mapper);
    });
  });

function locatorFindings(
  { node }: CheckedNode,
  name: string,
  modes: readonly LocatorMode[],
  catalog: NodeCatalog,
): Finding[] {
  const value = node.parameters[name];
  if (typeof value !== 'string' || value === '') return [];
  if (isReadAsText(value, modes, node.typeVersion, catalog.versions(node.type))) return [];
  const path = `parameters.${name}`;
  const message = `${path} is the text ${shown(value)}, but n8n expects where to find it; the editor shows it as empty, and the node may fail.`;
  const names = modes.map((mode) => mode.name);
  const known = names.filter((each) => each !== 'list');
  const mode = known.includes('id') ? 'id' : (known[0] ?? 'list');
  const choice = known.length > 1 ? ` The modes are: ${names.join(', ')}.` : '';
  const fix = `Set ${path} to {"__rl": true, "mode": "${mode}", "value": ${shown(value)}}.${choice}`;
  return [{ code: 'LOCATOR_TEXT', node: node.name, path, message, fix }];
}

/**
 * Returns whether a node works with a text in place of a locator. Nodes that are older than locators read it as it is: those with
 * one version, and the older ones of several. They extract no id from a URL.
 */
function isReadAsText(
  text: string,
  modes: readonly LocatorMode[],
  version: number | undefined,
  versions: readonly number[],
): boolean {
  if (/^https?:/.test(text)) return false;
  if (versions.length > 1) return version !== versions.at(-1);
  return text.startsWith('=') || modes.some((mode) => accepts(mode, text));
}

function accepts({ name, validation = [] }: LocatorMode, text: string): boolean {
  const isRead = name !== 'list' && name !== 'url';
  return isRead && validation.every(({ properties }) => new RegExp(`^${properties.regex}$`).test(text));
}

function mappingFindings(
  { node, parameters }: CheckedNode,
  name: string,
  mapper: Readonly<Record<string, unknown>>,
): Finding[] {
  const mapping = parameters[name];
  if (!isObject(mapping) || mapping.mappingMode === 'autoMapInputData') return [];
  const path = `parameters.${name}`;
  const words = isObject(mapper.fieldWords) ? String(mapper.fieldWords.singular ?? 'column') : 'column';
  const finding = (message: string, fix: string): Finding => ({
    code: 'COLUMNS_MISSING',
    node: node.name,
    path,
    message,
    fix,
  });
  const { value, matchingColumns } = mapping;
  if (value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0)) {
    return [
      finding(
        `${path} maps no ${words}, so the node writes nothing or fails at execution.`,
        `Set ${path} to {"mappingMode": "defineBelow", "value": {"<${words}>": "={{ $json.x }}"}, "schema": []}, or to {"mappingMode": "autoMapInputData", "value": {}, "schema": []}.`,
      ),
    ];
  }
  const needsMatch = mapper.mode === 'update' || mapper.mode === 'upsert';
  if (!needsMatch || (Array.isArray(matchingColumns) && matchingColumns.length > 0)) return [];
  return [
    finding(
      `${path} has no matchingColumns, so the node cannot find the row to update.`,
      `Set ${path}.matchingColumns to the names of the ${words}s to match.`,
    ),
  ];
}
