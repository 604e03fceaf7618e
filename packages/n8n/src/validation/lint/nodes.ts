import { isObject, type JsonObject } from '../../json.ts';
import { namedCredentialType } from '../credentials.ts';
import type { Finding } from '../finding.ts';
import type { CheckedNode } from '../publish.ts';
import type { Linted, LintRule } from './report.ts';

const BASE = 'n8n-nodes-base.';
/** Nodes whose items have no file unless an earlier node added one. */
const NO_FILES = new Set(
  [
    'set',
    'if',
    'switch',
    'noOp',
    'limit',
    'sort',
    'aggregate',
    'dateTime',
    'manualTrigger',
    'scheduleTrigger',
    'webhook',
  ].map((name) => BASE + name),
);

/** Reports mistakes that are specific to some node types. */
export const nodeRule: LintRule = (linted) => [
  ...respondFindings(linted),
  ...linted.checked.flatMap((each) => ownFindings(each, linted)),
];

function ownFindings(each: CheckedNode, linted: Linted): Finding[] {
  if (each.node.disabled) return [];
  return [...webhookIdFindings(each), ...credentialFindings(each, linted), ...fileFindings(each, linted)];
}

function respondFindings({ checked }: Linted): Finding[] {
  const active = checked.filter(({ node }) => !node.disabled);
  const responds = active.find(({ node }) => node.type === `${BASE}respondToWebhook`);
  const waiting = active.filter(
    ({ node, parameters }) => node.type === `${BASE}webhook` && parameters.responseMode === 'responseNode',
  );
  const [first] = waiting;
  if (first && !responds) {
    const message = `"${first.node.name}" waits for a Respond to Webhook node, but there is none: its caller receives an error.`;
    const fix = 'Add a respondToWebhook node, or set responseMode to "lastNode".';
    return [{ code: 'RESPOND_MISSING', node: first.node.name, path: 'parameters.responseMode', message, fix }];
  }
  const webhook = active.find(({ node }) => node.type === `${BASE}webhook`);
  if (responds && !first && webhook) {
    const message = `"${responds.node.name}" is never used, because "${webhook.node.name}" answers itself; n8n fails at execution.`;
    const fix = `Set responseMode of "${webhook.node.name}" to "responseNode".`;
    return [{ code: 'RESPOND_UNUSED', node: responds.node.name, path: 'type', message, fix }];
  }
  return [];
}

function webhookIdFindings({ node }: CheckedNode): Finding[] {
  if (node.type !== `${BASE}webhook` || typeof node.webhookId === 'string') return [];
  const message = 'Without a webhookId, the URL contains the workflow id and the node name before the path.';
  const fix = 'Set webhookId to a UUID. createWorkflow and autofixWorkflow set it.';
  return [{ code: 'WEBHOOK_ID_MISSING', node: node.name, path: 'webhookId', message, fix }];
}

/** Reports missing credentials that a parameter requires, and unknown credential types. */
function credentialFindings({ node, parameters }: CheckedNode, { catalog }: Linted): Finding[] {
  const named = namedCredentialType(parameters);
  const findings: Finding[] = [];
  if (named !== undefined && !isObject(node.credentials?.[named])) {
    const message = `Authentication requires the credential ${named}, which is not set; the request fails.`;
    const fix = `Set credentials.${named} to {"id": "<id>", "name": "<name>"}.`;
    findings.push({ code: 'CREDENTIAL_MISSING', node: node.name, path: `credentials.${named}`, message, fix });
  }
  for (const name of Object.keys(node.credentials ?? {})) {
    if (catalog.credential(name)) continue;
    const message = `n8n ${catalog.version} has no credential type "${name}"; the node does not use it.`;
    const fix = 'Call listCredentialTypes for the types that the node accepts.';
    findings.push({ code: 'CREDENTIAL_UNKNOWN', node: node.name, path: `credentials.${name}`, message, fix });
  }
  return findings;
}

/** Returns whether a node fails without a file. */
function readsFile({ node, parameters }: CheckedNode): boolean {
  switch (node.type) {
    case `${BASE}extractFromFile`:
      return true;
    case `${BASE}editImage`:
      return parameters.operation !== 'create' && parameters.operation !== 'multiStep';
    case `${BASE}compression`:
      return true;
    default:
      return false;
  }
}

/** Returns whether the caller of a webhook can send files. A form has them with every method but GET. */
function mayReceiveFiles({ httpMethod = 'GET', ...rest }: JsonObject): boolean {
  return httpMethod !== 'GET' || JSON.stringify(rest).includes('inary');
}

function fileFindings(checked: CheckedNode, { graph, workflow }: Linted): Finding[] {
  if (!readsFile(checked)) return [];
  const { node } = checked;
  const types = new Map(workflow.nodes.map((each) => [each.name, each]));
  const seen = new Set<string>();
  const queue = [node.name];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const { source, target, type } of graph.edges) {
      if (target !== name || type !== 'main' || seen.has(source)) continue;
      const before = types.get(source);
      if (before === undefined || !NO_FILES.has(before.type)) return [];
      if (before.type === `${BASE}webhook` && mayReceiveFiles(before.parameters)) return [];
      seen.add(source);
      queue.push(source);
    }
  }
  if (seen.size === 0) return [];
  const message = `No node before "${node.name}" provides a file to read; the node fails at execution.`;
  const fix = 'Add a node before it that provides a file: httpRequest, readWriteFile, a storage node.';
  return [{ code: 'BINARY_MISSING', node: node.name, path: 'connections', message, fix }];
}
