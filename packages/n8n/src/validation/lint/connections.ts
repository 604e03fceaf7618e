import { suggest } from '@toolwright/core/suggest';
import type { NodeDescription, NodePort } from '../../catalogs/description.ts';
import type { Finding } from '../finding.ts';
import type { Edge } from '../graph.ts';
import type { CheckedNode } from '../publish.ts';
import type { Linted, LintRule } from './report.ts';

/** Reports connections from or to unknown nodes, and to inputs or outputs that do not exist. */
export const connectionRule: LintRule = (linted) => {
  const { workflow, graph } = linted;
  const names = new Set(workflow.nodes.map(({ name }) => name));
  const ids = new Map(workflow.nodes.map(({ id, name }) => [id, name]));
  const findings: Finding[] = [];
  for (const source of Object.keys(workflow.connections)) {
    if (names.has(source)) continue;
    const byId = ids.get(source);
    const path = `connections[${JSON.stringify(source)}]`;
    if (byId !== undefined) findings.push(byIdFinding(source, byId, path));
    else
      findings.push({
        code: 'CONNECTION_UNKNOWN_SOURCE',
        path,
        message: `connections has an entry for "${source}", but there is no such node; n8n ignores it.`,
        get fix() {
          return nearFix(source, names);
        },
      });
  }
  for (const edge of graph.edges) {
    const { target, source, path } = edge;
    const byId = names.has(target) ? undefined : ids.get(target);
    if (byId !== undefined) findings.push(byIdFinding(target, byId, path, source));
    else if (!names.has(target))
      findings.push({
        code: 'CONNECTION_UNKNOWN_TARGET',
        node: source,
        path,
        message: `"${source}" is connected to "${target}", but there is no such node; the execution fails.`,
        get fix() {
          return nearFix(target, names);
        },
      });
    else findings.push(...portFindings(edge, linted));
  }
  return findings;
};

function byIdFinding(id: string, name: string, path: string, node?: string): Finding {
  const message = `"${id}" is the id of the node "${name}"; connections use names, so n8n ignores this one.`;
  return { code: 'CONNECTION_BY_ID', ...(node === undefined ? {} : { node }), path, message, fix: `Write "${name}".` };
}

function nearFix(name: string, names: ReadonlySet<string>): string {
  const near = suggest(name, names, 2);
  return near.length > 0 ? `Write ${near.map((other) => `"${other}"`).join(' or ')}.` : 'Remove it, or add the node.';
}

function portFindings({ source, target, type, output, input, path }: Edge, { byName }: Linted): Finding[] {
  const from = byName.get(source);
  const to = byName.get(target);
  const findings: Finding[] = [];
  const report = (message: string, fix: string): void => {
    findings.push({ code: 'CONNECTION_PORT', node: source, path, message, fix });
  };
  const outputs = from && outputCount(from, type);
  if (from && outputs !== undefined && output >= outputs) {
    const has = outputs === 0 ? `no output of type ${type}` : `outputs 0 to ${outputs - 1}`;
    report(
      `"${source}" has ${has}; output ${output} never has items.`,
      `Use ${outputs === 0 ? outputWords(from) : `output ${outputs - 1} at most`}.`,
    );
  }
  const inputs = to && inputCount(to, type);
  if (inputs !== undefined && input >= inputs) {
    const has = inputs === 0 ? `no input of type ${type}` : `inputs 0 to ${inputs - 1}`;
    report(
      `"${target}" has ${has}; input ${input} never receives items.`,
      inputs === 0 ? 'Connect it with another connection type.' : `Use index ${inputs - 1} at most.`,
    );
  }
  return findings;
}

function outputWords({ description }: CheckedNode): string {
  const types = typesOf(description.outputs);
  return types === undefined || types.length === 0 ? 'another node' : `the type ${[...new Set(types)].join(' or ')}`;
}

/** Returns the number of outputs of a type; undefined when an unknown expression decides. */
export function outputCount({ node, description, parameters }: CheckedNode, type: string): number | undefined {
  const types = typesOf(description.outputs) ?? computedOutputs(description, parameters);
  if (types === undefined) return undefined;
  const error = type === 'main' && node.raw.onError === 'continueErrorOutput' ? 1 : 0;
  return types.filter((each) => each === type).length + error;
}

function inputCount({ description, parameters }: CheckedNode, type: string): number | undefined {
  if (description.name === 'n8n-nodes-base.merge' && type === 'main') return Number(parameters.numberInputs ?? 2) || 2;
  const types = typesOf(description.inputs);
  return types?.filter((each) => each === type).length;
}

function typesOf(ports: NodeDescription['inputs']): string[] | undefined {
  return typeof ports === 'string'
    ? undefined
    : ports.map((port: NodePort) => (typeof port === 'string' ? port : port.type));
}

/** Returns the outputs of nodes whose parameters list them. */
function computedOutputs(
  { name }: NodeDescription,
  parameters: Readonly<Record<string, unknown>>,
): string[] | undefined {
  if (name !== 'n8n-nodes-base.switch') return undefined;
  const { mode, rules, numberOutputs, options } = parameters as {
    mode?: unknown;
    rules?: { values?: unknown; rules?: unknown };
    numberOutputs?: unknown;
    options?: { fallbackOutput?: unknown };
  };
  if (mode === 'expression') return main(Number(numberOutputs) || 4);
  const list = rules?.values ?? rules?.rules;
  if (!Array.isArray(list)) return undefined;
  // The fallback output is one more; its option has other names in other versions.
  return main(list.length + (options?.fallbackOutput === undefined && parameters.fallbackOutput === undefined ? 0 : 1));
}

function main(count: number): string[] {
  return Array.from({ length: count }, () => 'main');
}
