import { expect, it } from 'vitest';
import { instance } from '../../../../../test/fixtures/n8n-instance.ts';
import { risksOf } from './audit.ts';

const code = (type: string, parameters: object, more: object = {}): string[] =>
  risksOf({ nodes: [{ name: 'Node', type: `n8n-nodes-base.${type}`, parameters, ...more }] }).map((risk) => risk.code);
const header = (name: string, value: string): object => ({ headerParameters: { parameters: [{ name, value }] } });

it.each([
  ['OPEN_TRIGGER', 'webhook', { path: 'a' }],
  ['OPEN_TRIGGER', 'chatTrigger', { public: true }],
  ['MACHINE_ACCESS', 'executeCommand', {}],
  ['MACHINE_ACCESS', 'sshTool', {}],
  ['SECRET_IN_TEXT', 'httpRequest', header('Authorization', 'Bearer sk-12345678')],
  ['SECRET_IN_TEXT', 'httpRequest', { options: { apiKey: 'abcdef123456' } }],
  ['TLS_UNVERIFIED', 'httpRequest', { options: { allowUnauthorizedCerts: true } }],
  ['SQL_INJECTION', 'postgres', { operation: 'executeQuery', query: "=SELECT * FROM a WHERE b = '{{ $json.b }}'" }],
  ['EVALUATED_TEXT', 'code', { jsCode: 'return eval($json.text)' }],
])('%s is a risk of %s %j', (risk, type, parameters) => {
  expect(code(type, parameters)).toEqual([risk]);
  expect(code(type, parameters, { disabled: true })).toEqual([]);
});

it.each([
  ['webhook', { path: 'a', authentication: 'headerAuth' }],
  ['chatTrigger', {}],
  ['httpRequest', header('Authorization', '={{ $json.token }}')],
  ['httpRequest', header('Authorization', 'Bearer YOUR_TOKEN')],
  ['httpRequest', header('X-Source', 'abcdef123456')],
  ['httpRequest', { method: 'POST', options: {} }],
  ['postgres', { operation: 'executeQuery', query: 'SELECT * FROM a WHERE b = $1' }],
  ['code', { jsCode: 'return items.map((item) => item.exec)' }],
])('%s %j is no risk', (type, parameters) => expect(code(type, parameters)).toEqual([]));

it('reads all workflows and the audit of n8n, which may be refused', async () => {
  const { n8n, workflows } = await instance();
  const nodes = [{ type: 'webhook', name: 'In', parameters: { path: 'in' } }];
  await workflows.call('createWorkflow', { workflow: { name: 'Open', nodes, connections: {} } });
  expect(await workflows.call('auditWorkflows', {})).toMatchObject({
    workflows: 1,
    risks: [{ code: 'OPEN_TRIGGER', workflow: 'Open', node: 'In', active: false }],
    instance: [{ risk: 'nodes', title: 'Official risky nodes', places: 2 }],
  });
  n8n.fault = (_method, pathname) => (pathname.endsWith('/audit') ? 403 : undefined);
  expect(await workflows.call('auditWorkflows', {})).toMatchObject({
    instance: [],
    problems: [expect.stringContaining('The API key has no scope')],
  });
});
