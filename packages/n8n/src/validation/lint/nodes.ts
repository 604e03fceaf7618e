import { isObject } from '../../json.ts';
import type { Finding } from '../finding.ts';
import type { CheckedNode } from '../publish.ts';
import type { Linted, LintRule } from './report.ts';

const BASE = 'n8n-nodes-base.';
/** Nodes after which an item has no file, unless one before them gave it one. */
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

/** Mistakes that only some node types allow. */
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
    const message = `"${first.node.name}" waits for a Respond to Webhook node, and there is none: its caller gets an error.`;
    const fix = 'Add a respondToWebhook node, or set responseMode to "lastNode".';
    return [{ code: 'RESPOND_MISSING', node: first.node.name, path: 'parameters.responseMode', message, fix }];
  }
  const webhook = active.find(({ node }) => node.type === `${BASE}webhook`);
  if (responds && !first && webhook) {
    const message = `"${responds.node.name}" is never used: "${webhook.node.name}" answers by itself, and n8n fails on this.`;
    const fix = `Set responseMode of "${webhook.node.name}" to "responseNode".`;
    return [{ code: 'RESPOND_UNUSED', node: responds.node.name, path: 'type', message, fix }];
  }
  return [];
}

function webhookIdFindings({ node }: CheckedNode): Finding[] {
  if (node.type !== `${BASE}webhook` || typeof node.webhookId === 'string') return [];
  const message = 'Without a webhookId the address holds the workflow id and the node name before the path.';
  const fix = 'Set webhookId to a UUID; createWorkflow and autofixWorkflow do.';
  return [{ code: 'WEBHOOK_ID_MISSING', node: node.name, path: 'webhookId', message, fix }];
}

/** Credentials that a parameter names, and those that no credential type stands for. */
function credentialFindings({ node, parameters }: CheckedNode, { catalog }: Linted): Finding[] {
  const named =
    parameters.authentication === 'predefinedCredentialType'
      ? parameters.nodeCredentialType
      : parameters.authentication === 'genericCredentialType'
        ? parameters.genericAuthType
        : undefined;
  const findings: Finding[] = [];
  if (typeof named === 'string' && named !== '' && !named.startsWith('=') && !isObject(node.credentials?.[named])) {
    const message = `Authentication asks for the credential ${named}, which is not set; the request fails.`;
    const fix = `Set credentials.${named} to {"id": "<id>", "name": "<name>"}.`;
    findings.push({ code: 'CREDENTIAL_MISSING', node: node.name, path: `credentials.${named}`, message, fix });
  }
  for (const name of Object.keys(node.credentials ?? {})) {
    if (catalog.credential(name)) continue;
    const message = `n8n ${catalog.version} has no credential type "${name}"; the node does not use it.`;
    const fix = 'listCredentialTypes tells which ones the node takes.';
    findings.push({ code: 'CREDENTIAL_UNKNOWN', node: node.name, path: `credentials.${name}`, message, fix });
  }
  return findings;
}

function fileFindings({ node }: CheckedNode, { graph, workflow }: Linted): Finding[] {
  if (node.type !== `${BASE}extractFromFile`) return [];
  const types = new Map(workflow.nodes.map((each) => [each.name, each]));
  const seen = new Set<string>();
  const queue = [node.name];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const { source, target, type } of graph.edges) {
      if (target !== name || type !== 'main' || seen.has(source)) continue;
      const before = types.get(source);
      if (before === undefined || !NO_FILES.has(before.type)) return [];
      if (before.type === `${BASE}webhook` && JSON.stringify(before.parameters).includes('inary')) return [];
      seen.add(source);
      queue.push(source);
    }
  }
  if (seen.size === 0) return [];
  const message = `Nothing before "${node.name}" gives it a file to read; it fails when it runs.`;
  const fix = 'Put a node before it that gives a file: httpRequest, readWriteFile, a storage node.';
  return [{ code: 'BINARY_MISSING', node: node.name, path: 'connections', message, fix }];
}
