import { randomUUID } from 'node:crypto';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Validation } from '../validation/finding.ts';
import { expressionProblem } from '../validation/lint/expressions.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { toBody, type WorkflowBody } from './body.ts';

/** A workflow after its unambiguous problems are fixed. */
export interface Fixed {
  readonly workflow: WorkflowBody;
  /** The changes, one line each. */
  readonly fixes: readonly string[];
  readonly remaining: Validation;
}

/**
 * Fixes problems that have exactly one solution: rejected keys, missing ids, versions and webhook ids, short type names and
 * unknown versions. Also fixes connections without an array level or by id, and expressions without "=".
 */
export function autofixWorkflow(input: unknown, catalog: NodeCatalog): Fixed {
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
    fixed.parameters = signed(
      node.parameters,
      String(node.name),
      node.type === 'n8n-nodes-base.stickyNote' ? undefined : fixes,
    );
    return fixed;
  });
  const connections = fixConnections(body.connections, nodes, fixes);
  const workflow = { ...body, nodes, connections };
  const raw = isObject(input) ? input : {};
  body.nodes.forEach((node, index) => {
    const before = Array.isArray(raw.nodes) && isObject(raw.nodes[index]) ? raw.nodes[index] : undefined;
    if (before && before.type !== node.type) fixes.push(`"${node.name}": changed type ${before.type} to ${node.type}`);
    if (before && node.webhookId !== undefined && before.webhookId === undefined)
      fixes.push(`"${node.name}": added a webhook id`);
  });
  return { workflow, fixes, remaining: validateWorkflow(workflow, catalog) };
}

const UNSIGNED = /^[^=]?[\s\S]*\{\{\s*\$(?:json|node|\(|input|now|today|vars|env|workflow|execution)/;
const KEPT = new Set(
  'jsCode html css content query sqlQuery inputSchema jsonSchemaExample pythonCode functionCode'.split(' '),
);

function signed(value: unknown, node: string, fixes: string[] | undefined, key = ''): unknown {
  if (fixes === undefined) return value;
  if (Array.isArray(value)) return value.map((element) => signed(element, node, fixes, key));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, signed(held, node, fixes, name)]));
  }
  if (typeof value !== 'string' || value.startsWith('=') || KEPT.has(key) || !UNSIGNED.test(value)) return value;
  if (expressionProblem(value) !== undefined) return value;
  fixes.push(`"${node}": changed ${key} to an expression`);
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
          (Array.isArray(targets) ? targets : [])
            .filter(isObject)
            .map((target) => ({ type, index: 0, ...target, node: nameOf(target.node) })),
        );
        return [type, fixed] as const;
      });
      return [nameOf(source), Object.fromEntries(types)];
    }),
  );
}
