import { randomUUID } from 'node:crypto';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { LocatorMode, NodeDescription } from '../catalogs/description.ts';
import { STICKY_NOTE } from '../catalogs/names.ts';
import { isObject, type JsonObject, shown } from '../json.ts';
import type { Validation } from '../validation/finding.ts';
import { expressionProblem } from '../validation/lint/expressions/expressions.ts';
import { filtersIn, missingRightTypes } from '../validation/lint/filters.ts';
import { bracedVariable, isBareVariable } from '../validation/lint/literals/bare-variables.ts';
import { repairedJavaScript } from '../validation/lint/programs/javascript.ts';
import { mistakesInPython } from '../validation/lint/programs/python.ts';
import { type Caller, type Syntax, withSyntax } from '../validation/syntax.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { workflowObject } from '../validation/workflow.ts';
import { toBody, type WorkflowBody } from './body.ts';
import { droppedPaths } from './edits/dropped.ts';
import { setAt } from './edits/parameter-edits.ts';

/** A workflow after its unambiguous problems are fixed. */
interface Fixed {
  readonly workflow: WorkflowBody;
  /** The changes, one line each. */
  readonly fixes: readonly string[];
  readonly remaining: Validation;
}

/** The means to repair a node. */
interface Repair {
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

/**
 * Fixes problems that have exactly one solution: rejected keys, missing ids, versions and webhook ids, short type names and
 * unknown versions. Also fixes connections without an array level or by id, expressions without "=" or braces, and the mistakes of
 * {@link repairedNode}.
 */
export async function autofixWorkflow(input: unknown, catalog: NodeCatalog, caller: Caller = {}): Promise<Fixed> {
  const fixed = await withSyntax(caller, (syntax) => fix(input, catalog, syntax));
  return { ...fixed, remaining: await validateWorkflow(fixed.workflow, catalog, caller) };
}

function fix(input: unknown, catalog: NodeCatalog, syntax: Syntax): Omit<Fixed, 'remaining'> {
  const fixes: string[] = [];
  const body = toBody(input, catalog);
  const ids = new Set<unknown>();
  const nodes = body.nodes.map((node) => {
    const fixed: Record<string, unknown> = { ...node };
    const looked = catalog.lookup(String(node.type), Number(node.typeVersion));
    if ('missing' in looked && looked.missing === 'version') {
      fixed.typeVersion = looked.known.at(-1);
      fixes.push(`"${node.name}": changed version ${node.typeVersion} to ${fixed.typeVersion}`);
    }
    if (ids.has(node.id)) {
      fixed.id = randomUUID();
      fixes.push(`"${node.name}": added a unique id`);
    }
    ids.add(fixed.id);
    if (node.type === STICKY_NOTE) return fixed;
    fixed.parameters = signed(node.parameters, { node: String(node.name), fixes, syntax });
    return repairedNode(fixed, { catalog, syntax, fixes });
  });
  const connections = fixConnections(body.connections, nodes, fixes);
  const workflow = { ...body, nodes, connections };
  const raw = workflowObject(input);
  for (const path of droppedPaths(raw, { ...workflow }) ?? [])
    fixes.push(`left out ${path}: n8n's API does not accept it`);
  body.nodes.forEach((node, index) => {
    const before = Array.isArray(raw.nodes) && isObject(raw.nodes[index]) ? raw.nodes[index] : undefined;
    if (before && before.type !== node.type) fixes.push(`"${node.name}": changed type ${before.type} to ${node.type}`);
    if (before && node.webhookId !== undefined && before.webhookId === undefined)
      fixes.push(`"${node.name}": added a webhook id`);
  });
  return { workflow, fixes };
}

const UNSIGNED = /^[^=]?[\s\S]*\{\{\s*\$(?:json|node|\(|input|now|today|vars|env|workflow|execution)/;
const KEPT = new Set(
  'jsCode html css content query sqlQuery inputSchema jsonSchemaExample pythonCode functionCode'.split(' '),
);

interface Signing {
  readonly node: string;
  readonly fixes: string[];
  readonly syntax: Syntax;
}

function signed(value: unknown, signing: Signing, key = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => signed(element, signing, key));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, signed(held, signing, name)]));
  }
  if (typeof value === 'string' && isBareVariable(value, key)) {
    const braced = bracedVariable(value);
    if (expressionProblem(braced.slice(1), signing.syntax) !== undefined) return value;
    signing.fixes.push(`"${signing.node}": changed ${key} to an expression`);
    return braced;
  }
  if (typeof value !== 'string' || value.startsWith('=') || KEPT.has(key) || !UNSIGNED.test(value)) return value;
  if (expressionProblem(value, signing.syntax) !== undefined) return value;
  signing.fixes.push(`"${signing.node}": changed ${key} to an expression`);
  return `=${value}`;
}

function fixConnections(connections: JsonObject, nodes: readonly JsonObject[], fixes: string[]): JsonObject {
  const names = new Set(nodes.map(({ name }) => name));
  const byId = new Map(nodes.map(({ id, name }) => [id, String(name)]));
  const nameOf = (name: unknown): string => {
    const known = names.has(name) ? undefined : byId.get(name);
    if (known !== undefined) fixes.push(`connections: changed "${name}" to "${known}"`);
    return known ?? String(name);
  };
  return Object.fromEntries(
    Object.entries(connections).map(([source, byType]) => {
      const types = Object.entries(isObject(byType) ? byType : {}).map(([type, outputs]) => {
        const list = Array.isArray(outputs) ? outputs : [];
        const isFlat = list.length > 0 && list.every(isObject);
        if (isFlat) fixes.push(`connections of "${source}": added the list of its output`);
        const levels: unknown[] = isFlat ? [list] : list;
        const fixed = levels.map((targets) =>
          (Array.isArray(targets) ? targets : []).flatMap((target: unknown) => {
            if (isObject(target)) return [{ type, index: 0, ...target, node: nameOf(target.node) }];
            const isName = typeof target === 'string';
            fixes.push(`connections of "${source}": ${isName ? `completed "${target}"` : `left out ${shown(target)}`}`);
            return isName ? [{ type, index: 0, node: nameOf(target) }] : [];
          }),
        );
        return [type, fixed] as const;
      });
      return [nameOf(source), Object.fromEntries(types)];
    }),
  );
}

/** Repairs the mistakes of a node that have one solution. */
function repairedNode(node: JsonObject, { catalog, syntax, fixes }: Repair): JsonObject {
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
