import { suggest } from '@toolwright/core/suggest';
import { type PortOwner, portsOfType } from '../../ports/port.ts';
import { inputsOf, outputsOf } from '../../ports/resolve.ts';
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
  return { code: 'CONNECTION_BY_ID', node, path, message, fix: `Write "${name}".` };
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
  if (to && inputs !== undefined && input >= inputs) {
    const has = inputs === 0 ? `no input of type ${type}` : `inputs 0 to ${inputs - 1}`;
    report(
      `"${target}" has ${has}; n8n ignores the connection to input ${input}.`,
      inputs === 0 ? missingInputFix(to, type) : `Use index ${inputs - 1} at most.`,
    );
  }
  return findings;
}

function missingInputFix(to: CheckedNode, type: string): string {
  const switchable = to.description.properties.some(({ name }) => name === 'hasOutputParser');
  if (type === 'ai_outputParser' && switchable) return `Set parameters.hasOutputParser of "${to.node.name}" to true.`;
  return 'Connect it with another connection type.';
}

function outputWords(checked: CheckedNode): string {
  const types = new Set(outputsOf(ownerOf(checked))?.map(({ type }) => type));
  return types.size === 0 ? 'another node' : `the type ${[...types].join(' or ')}`;
}

/** Returns the number of outputs of a type; undefined when an unknown expression decides. */
export function outputCount(checked: CheckedNode, type: string): number | undefined {
  const ports = outputsOf(ownerOf(checked));
  return ports && portsOfType(ports, type).length;
}

function inputCount(checked: CheckedNode, type: string): number | undefined {
  const ports = inputsOf(ownerOf(checked));
  return ports && portsOfType(ports, type).length;
}

function ownerOf({ node, description, parameters }: CheckedNode): PortOwner {
  return { description, parameters, typeVersion: node.typeVersion, onError: node.raw.onError };
}
