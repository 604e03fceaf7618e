import { type NodeCatalog, type NodeLookup, OTHER_PACKAGE_FIX } from '../catalogs/catalog.ts';
import type { NodeDescription } from '../catalogs/description.ts';
import { isOfOtherPackage } from '../catalogs/names.ts';
import { toolSource } from '../catalogs/variant.ts';
import { isObject } from '../json.ts';
import { ShapeError, withDefaults } from '../ports/defaults.ts';
import { isShown } from '../ports/display.ts';
import { bodyFindings } from './body.ts';
import type { Finding } from './finding.ts';
import type { Graph } from './graph.ts';
import { parameterIssues } from './parameters.ts';
import { registrationFindings } from './registration.ts';
import { scheduleFindings } from './schedule.ts';
import { type InstanceFacts, subworkflowFindings } from './subworkflows.ts';
import type { Syntax } from './syntax.ts';
import type { Workflow, WorkflowNode } from './workflow.ts';

/** A node with a known description, and its parameters with defaults. */
export interface CheckedNode {
  readonly node: WorkflowNode;
  readonly description: NodeDescription;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A workflow, with the means to check it. */
export interface Published {
  readonly workflow: Workflow;
  readonly graph: Graph;
  readonly catalog: NodeCatalog;
  readonly syntax: Syntax;
}

/** Triggers that start a workflow in the editor only. */
const EDITOR_TRIGGERS = new Set(['n8n-nodes-base.manualTrigger', '@n8n/n8n-nodes-langchain.manualChatTrigger']);
/** Nodes that n8n 2 and newer exclude by default (NODES_EXCLUDE). */
const EXCLUDED_SINCE_2 = new Set(['n8n-nodes-base.executeCommand', 'n8n-nodes-base.localFileTrigger']);

/** Returns the problems for which n8n refuses to create or publish a workflow, and the nodes with a known description. */
export function publishFindings(
  { workflow, graph, catalog, syntax }: Published,
  facts: InstanceFacts,
): { findings: Finding[]; checked: CheckedNode[] } {
  const { unknown, checked } = checkNodes(workflow, catalog);
  const findings = [
    ...bodyFindings(workflow.raw),
    ...unknown,
    ...connectionFindings(graph),
    ...triggerFindings(workflow, checked),
  ];
  for (const each of checked) {
    if (each.node.disabled) continue;
    if (!graph.connected.has(each.node.name) && !each.description.isTriggerLike) continue;
    findings.push(...credentialFindings(each), ...nodeParameterFindings(each, syntax));
  }
  for (const { node, parameters } of checked) findings.push(...scheduleFindings(node, parameters));
  findings.push(...subworkflowFindings(workflow, checked, facts));
  findings.push(...registrationFindings(workflow, checked));
  return { findings, checked };
}

/** Returns the nodes by their names. */
export function byName(checked: readonly CheckedNode[]): ReadonlyMap<string, CheckedNode> {
  return new Map(checked.map((each) => [each.node.name, each]));
}

/** Returns the nodes with a known description, and the findings about all others. */
export function checkNodes(workflow: Workflow, catalog: NodeCatalog): { unknown: Finding[]; checked: CheckedNode[] } {
  const unknown: Finding[] = [];
  const checked: CheckedNode[] = [];
  for (const node of workflow.nodes) {
    if (node.type === '') continue;
    const looked = lookup(node, catalog);
    if ('missing' in looked) {
      unknown.push(missingType(node, looked, catalog));
      continue;
    }
    const shownBy = { typeVersion: node.typeVersion, isTool: looked.found.name.endsWith('Tool') };
    try {
      const parameters = withDefaults(looked.found.properties, node.parameters, shownBy);
      checked.push({ node, description: looked.found, parameters });
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      const path = `parameters.${error.path}`;
      const message = `n8n cannot read ${path}: ${error.message}.`;
      const fix = `Correct the shape of ${path}. Call getNodeProperty for it.`;
      unknown.push({ code: 'PARAMETER_SHAPE', node: node.name, path, message, fix });
    }
  }
  return { unknown, checked };
}

function lookup(node: WorkflowNode, catalog: NodeCatalog): NodeLookup | { missing: 'excluded'; known: [] } {
  const type = toolSource(node.type)?.base ?? node.type;
  if (EXCLUDED_SINCE_2.has(type) && Number.parseInt(catalog.version, 10) >= 2)
    return { missing: 'excluded', known: [] };
  return catalog.lookup(node.type, node.typeVersion);
}

function missingType(
  { name, type, typeVersion }: WorkflowNode,
  { missing, known }: Exclude<ReturnType<typeof lookup>, { found: NodeDescription }>,
  catalog: NodeCatalog,
): Finding {
  const n8n = `n8n ${catalog.version}`;
  switch (missing) {
    case 'version': {
      const message = `${n8n} has no version ${typeVersion} of ${type}.`;
      return {
        code: 'UNKNOWN_NODE_VERSION',
        node: name,
        path: 'typeVersion',
        message,
        fix: `Use one of ${known.join(', ')}.`,
      };
    }
    case 'tool': {
      const message = `${type.replace(/Tool$/, '')} cannot be used as a tool of an agent.`;
      return {
        code: 'NOT_A_TOOL',
        node: name,
        path: 'type',
        message,
        fix: 'Use toolWorkflow or httpRequestTool instead.',
      };
    }
    case 'excluded': {
      const message = `${n8n} does not load ${type}: NODES_EXCLUDE lists it by default.`;
      return {
        code: 'EXCLUDED_NODE_TYPE',
        node: name,
        path: 'type',
        message,
        fix: 'Use another node, such as code or httpRequest, or remove the type from NODES_EXCLUDE of n8n.',
      };
    }
    default: {
      return {
        code: 'UNKNOWN_NODE_TYPE',
        node: name,
        path: 'type',
        message: `${n8n} has no node type "${type}".`,
        get fix() {
          const resolved = catalog.resolve(type);
          const near = resolved === undefined ? catalog.near(type) : [resolved];
          const write = near.length > 0 ? `Write ${near.join(' or ')}.` : 'Find the type with searchNodes.';
          return isOfOtherPackage(type) ? `${write} ${OTHER_PACKAGE_FIX}` : write;
        },
      };
    }
  }
}

function connectionFindings({ broken }: Graph): Finding[] {
  return broken.map(({ path, source, problem }) => ({
    code: 'CONNECTION_SHAPE',
    node: source,
    path,
    message: `n8n cannot read ${path}: ${problem}.`,
    fix: 'Write {"Source": {"main": [[{"node": "Target", "type": "main", "index": 0}]]}}: a list for each output.',
  }));
}

/** Returns whether a finding is about a workflow that starts in the editor only: an ordinary state of a workflow in the making. */
export function isEditorOnly({ code }: Finding, { nodes }: Workflow): boolean {
  return code === 'NO_TRIGGER' && nodes.some(({ type, disabled }) => EDITOR_TRIGGERS.has(type) && !disabled);
}

function triggerFindings(workflow: Workflow, checked: readonly CheckedNode[]): Finding[] {
  const starts = checked.some(
    ({ node, description }) => !node.disabled && description.isTriggerLike && !EDITOR_TRIGGERS.has(node.type),
  );
  if (starts) return [];
  const manual = workflow.nodes.some(({ type }) => EDITOR_TRIGGERS.has(type));
  const why = manual ? 'a manual trigger starts it in the editor only' : 'nothing starts it';
  const message = `The workflow has no trigger node that n8n can publish: ${why}.`;
  return [
    {
      code: 'NO_TRIGGER',
      path: 'nodes',
      message,
      fix: 'Add a webhook, scheduleTrigger, formTrigger or another trigger node.',
    },
  ];
}

function credentialFindings({ node, description, parameters }: CheckedNode): Finding[] {
  const shownBy = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
  return (description.credentials ?? []).flatMap((credential): Finding[] => {
    if (!credential.required || !isShown(credential, parameters, parameters, shownBy)) return [];
    const given = node.credentials?.[credential.name];
    if (isObject(given) ? Boolean(given.id) : Boolean(given) && typeof given === 'object') return [];
    const path = `credentials.${credential.name}`;
    const state = given ? 'has no id' : 'is missing';
    const message = `The credential ${credential.name} ${state}.`;
    const fix = `Set ${path} to {"id": "<id>", "name": "<name>"} of a credential of the instance.`;
    return [{ code: 'CREDENTIAL_REQUIRED', node: node.name, path, message, fix }];
  });
}

function nodeParameterFindings({ node, description, parameters }: CheckedNode, syntax: Syntax): Finding[] {
  const shownBy = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
  return parameterIssues(description, { values: parameters, node: shownBy, syntax }).map(
    ({ kind, path, property, problem }) => ({
      code: kind === 'required' ? 'PARAMETER_REQUIRED' : 'PARAMETER_INVALID',
      node: node.name,
      path: `parameters.${path}`,
      message: `${property.displayName ?? property.name} (parameters.${path}) ${problem}.`,
      fix: `Set parameters.${path}${example(property.type)}.`,
    }),
  );
}

function example(type: string): string {
  if (type === 'resourceLocator') return ' to {"__rl": true, "mode": "id", "value": "<id>"}';
  return type === 'multiOptions' ? ' to a list with at least one value' : '';
}
