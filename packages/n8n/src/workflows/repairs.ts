import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { LocatorMode, NodeDescription } from '../catalogs/description.ts';
import { isObject, type JsonObject } from '../json.ts';
import { filtersIn, missingRightTypes } from '../validation/lint/filters.ts';
import { repairedJavaScript } from '../validation/lint/programs/javascript.ts';
import { mistakesInPython } from '../validation/lint/programs/python.ts';
import type { Syntax } from '../validation/syntax.ts';
import { setAt } from './edits/parameter-edits.ts';

/** The means to repair a node. */
export interface Repair {
  readonly catalog: NodeCatalog;
  readonly syntax: Syntax;
  /** Receives a line for each change. */
  readonly fixes: string[];
}

type Parameters = Record<string, unknown>;
/** Returns the changed parameters; undefined when there is nothing to repair. */
type Rule = (parameters: Parameters, description: NodeDescription, syntax: Syntax) => Parameters | undefined;

const BASE = 'n8n-nodes-base.';
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
const FILTER_OPTIONS = { version: 2, leftValue: '', caseSensitive: true, typeValidation: 'loose' };

/** Repairs the mistakes of a node that have one solution. */
export function repairedNode(node: JsonObject, { catalog, syntax, fixes }: Repair): JsonObject {
  const looked = catalog.lookup(String(node.type), Number(node.typeVersion));
  if (!('found' in looked)) return node;
  const start: Parameters = isObject(node.parameters) ? node.parameters : {};
  const parameters = Object.entries(RULES).reduce((held, [what, rule]) => {
    const changed = rule(held, looked.found, syntax);
    if (changed !== undefined) fixes.push(`"${node.name}": ${what}`);
    return changed ?? held;
  }, start);
  return movedOnError({ ...node, parameters }, looked.found, fixes);
}

const RULES: Readonly<Record<string, Rule>> = {
  'changed method to httpMethod': (parameters, { name }) => {
    const { method, ...rest } = parameters;
    const isMeant = name === `${BASE}webhook` && typeof method === 'string' && parameters.httpMethod === undefined;
    return isMeant ? { ...rest, httpMethod: method } : undefined;
  },
  'added the options of its conditions': (parameters, { properties }) => {
    const bare = [...filtersIn(properties, parameters, 'parameters')].filter(
      ({ value }) => isObject(value) && Array.isArray(value.conditions) && !isObject(value.options),
    );
    if (bare.length === 0) return undefined;
    return bare.reduce((held, { path }) => setAt(held, `${path}.options`, FILTER_OPTIONS), parameters);
  },
  'added the type of the compared value': (parameters, { properties }) => {
    const filters = [...filtersIn(properties, parameters, 'parameters')];
    const places = filters.flatMap(({ value, path }) => missingRightTypes(value, path));
    if (places.length === 0) return undefined;
    return places.reduce((held, { path, rightType }) => setAt(held, path, rightType), parameters);
  },
  'completed its locators': (parameters, { properties }) => {
    const found = properties.flatMap(({ name, type, modes = [] }): [string, object][] => {
      const value = parameters[name];
      const mode = type === 'resourceLocator' && typeof value === 'string' ? modeOf(value, modes) : undefined;
      return mode === undefined ? [] : [[name, { __rl: true, mode, value }]];
    });
    return found.length === 0 ? undefined : { ...parameters, ...Object.fromEntries(found) };
  },
  'changed the language to pythonNative': (parameters, { name, properties }) => {
    const { language, mode, pythonCode } = parameters;
    const choices = JSON.stringify(properties.filter((property) => property.name === 'language'));
    const isOld = name === `${BASE}code` && language === 'python' && !choices.includes('"python"');
    if (!isOld || typeof pythonCode !== 'string') return undefined;
    const isEach = mode === 'runOnceForEachItem';
    const hasOldNames = mistakesInPython(pythonCode, isEach ? 'each' : 'all').some(({ code }) => code === 'CODE_MODE');
    return hasOldNames ? undefined : { ...parameters, language: 'pythonNative' };
  },
  'corrected its program': (parameters, { name }, syntax) => {
    const { jsCode } = parameters;
    if (name !== `${BASE}code` || typeof jsCode !== 'string' || jsCode.startsWith('=')) return undefined;
    const repaired = repairedJavaScript(jsCode, syntax);
    return repaired === jsCode ? undefined : { ...parameters, jsCode: repaired };
  },
};

/** Returns the mode of a locator that a text means; undefined when several are possible. */
function modeOf(value: string, modes: readonly LocatorMode[]): string | undefined {
  const known = modes.map(({ name }) => name).filter((name) => name !== 'list');
  if (value === '') return undefined;
  if (/^https?:/.test(value)) return known.includes('url') ? 'url' : undefined;
  if (known.length === 1 || (value.startsWith('=') && known.includes('id')))
    return known.length === 1 ? known[0] : 'id';
  return value.startsWith('#') && known.includes('name') ? 'name' : undefined;
}

function movedOnError(node: JsonObject, { properties }: NodeDescription, fixes: string[]): JsonObject {
  const { onError, ...parameters } = isObject(node.parameters) ? node.parameters : {};
  const isOwn = properties.some(({ name }) => name === 'onError');
  if (isOwn || node.onError !== undefined || !ON_ERROR.includes(String(onError))) return node;
  fixes.push(`"${node.name}": moved onError from the parameters to the node`);
  return { ...node, onError, parameters };
}
