import { randomUUID } from 'node:crypto';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { STICKY_NOTE } from '../catalogs/names.ts';
import { isObject, type JsonObject, shown } from '../json.ts';
import type { Validation } from '../validation/finding.ts';
import { expressionProblem } from '../validation/lint/expressions/expressions.ts';
import { bracedVariable, isBareVariable } from '../validation/lint/literals/bare-variables.ts';
import type { Caller } from '../validation/syntax.ts';
import { type Syntax, withSyntax } from '../validation/syntax.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { workflowObject } from '../validation/workflow.ts';
import { toBody, type WorkflowBody } from './body.ts';
import { droppedPaths } from './edits/dropped.ts';
import { repairedNode } from './repairs.ts';

/** A workflow after its unambiguous problems are fixed. */
export interface Fixed {
  readonly workflow: WorkflowBody;
  /** The changes, one line each. */
  readonly fixes: readonly string[];
  readonly remaining: Validation;
}

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
