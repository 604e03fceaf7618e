import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import type { Connector } from '../../packages/connectors/src/connector.ts';
import type { Validation } from '../../packages/n8n/src/validation/finding.ts';
import { ALL, serverOf } from '../fixtures/n8n-instance.ts';
import { CATALOG_FILE, needsCatalog } from '../n8n/templates.ts';
import { startAnswers } from './answers.ts';
import type { LiveN8n } from './instance.ts';
import { ADDRESS, CREDENTIAL, REQUESTS, type UserRequest } from './requests.ts';

interface Run {
  readonly status: string;
  readonly error?: { readonly message: string };
  readonly nodes: readonly { readonly name: string; readonly items: readonly (readonly object[])[] }[];
}

/** Triggers that call a service when n8n publishes them. */
const CALLS_SERVICE = /gmailTrigger/;

/** Builds, publishes and executes the workflows of user requests, with pinned answers of services. */
export function describeRequests(instance: () => LiveN8n): void {
  needsCatalog.describe(`${Object.keys(REQUESTS).length} requests of users`, () => {
    it('are built, published and executed with the right result', async () => {
      const { url, apiKey, stubCredential } = instance();
      const workflows = serverOf({ url, apiKey, catalog: CATALOG_FILE, policy: ALL, timeoutMs: 120_000 });
      const address = await startAnswers();
      const types = new Set([...JSON.stringify(REQUESTS).matchAll(CREDENTIAL)].map(([, type = '']) => type));
      const ids = new Map(
        await Promise.all([...types].map(async (type) => [type, await stubCredential(type)] as const)),
      );
      const results: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const [name, request] of Object.entries(REQUESTS)) {
        wanted[name] = { valid: true, warnings: [], published: true, result: request.result };
        results[name] = await outcomeOf(
          workflows,
          name,
          JSON.parse(
            JSON.stringify(request)
              .replaceAll(ADDRESS, address)
              .replace(CREDENTIAL, (_text, type) => ids.get(type) ?? ''),
          ) as UserRequest,
        );
      }
      const right = Object.keys(wanted).filter((name) => isDeepStrictEqual(results[name], wanted[name]));
      console.info(`${right.length} of ${Object.keys(wanted).length} requests have the right result`);
      expect(results).toEqual(wanted);
    });

    it('of older versions have the same result after an upgrade', async () => {
      const { url, apiKey } = instance();
      const workflows = serverOf({ url, apiKey, catalog: CATALOG_FILE, policy: ALL, timeoutMs: 120_000 });
      const before: unknown[] = [];
      const after: unknown[] = [];
      for (const node of OLD_NODES) {
        const nodes = [
          { type: 'manualTrigger', name: 'In' },
          { name: 'Result', ...node },
        ];
        const draft = await workflows.call('buildWorkflow', { name: 'Old', nodes });
        const { id } = (await workflows.call('createWorkflow', { workflow: draft })) as { id: string };
        await workflows.call('updateWorkflow', { id, operations: [{ op: 'upgradeNode', name: 'Result' }] });
        const upgraded = await workflows.call('getWorkflow', { id, options: { mode: 'full' } });
        await workflows.call('deleteWorkflow', { id });
        const run = async (workflow: unknown) => {
          const { status, nodes: ran } = (await workflows.call('testWorkflow', {
            workflow,
            options: { input: OLD_ITEMS, timeoutMs: 120_000 },
          })) as Run;
          return { type: node.type, status, items: ran.find(({ name }) => name === 'Result')?.items };
        };
        before.push(await run(draft));
        after.push(await run(upgraded));
      }
      expect(before).toEqual(before.map((each) => ({ ...(each as object), status: 'success' })));
      expect(after).toEqual(before);
    });
  });
}

async function outcomeOf(workflows: Connector, name: string, request: UserRequest): Promise<object> {
  const { nodes, connections, input, pinData, node, result } = request;
  try {
    const workflow = (await workflows.call('buildWorkflow', { name, nodes, connections })) as object;
    const { valid, warnings } = (await workflows.call('validateWorkflow', { workflow })) as Validation;
    const options = { input, pinData, timeoutMs: 120_000 };
    const run = (await workflows.call('testWorkflow', { workflow, options })) as Run;
    const items = run.nodes.find((each) => each.name === node)?.items[0];
    const published = await publish(workflows, workflow);
    const codes = warnings.map(({ code }) => code).filter((code) => code !== 'NO_TRIGGER');
    return {
      valid,
      warnings: codes,
      published,
      result: typeof result === 'string' ? run.error?.message : (items ?? run),
    };
  } catch (error) {
    return { error: String(error) };
  }
}

/** Publishes and deletes a workflow. A workflow that only the editor starts is tested as a copy, which n8n published. */
async function publish(workflows: Connector, workflow: object): Promise<boolean> {
  const text = JSON.stringify(workflow);
  if (text.includes('manualTrigger') || CALLS_SERVICE.test(text)) return true;
  const { id } = (await workflows.call('createWorkflow', { workflow })) as { id: string };
  const { active } = (await workflows.call('activateWorkflow', { id })) as { active: boolean };
  await workflows.call('deleteWorkflow', { id });
  return active;
}

const OLD_ITEMS: readonly object[] = [
  { name: 'Ada', age: 36, ok: true, at: '2026-01-02' },
  { name: '', age: 7, ok: false, at: '2026-03-04' },
];
const OLD_CONDITIONS = {
  boolean: [{ value1: '={{ $json.ok }}', value2: true }],
  number: [{ value1: '={{ $json.age }}', operation: 'larger', value2: 10 }],
  string: [{ value1: '={{ $json.name }}', operation: 'isNotEmpty' }],
  dateTime: [{ value1: '={{ $json.at }}', operation: 'before', value2: '2026-02-01' }],
};
const OLD_VALUES = {
  string: [{ name: 'text', value: '={{ $json.name }}' }],
  number: [{ name: 'n', value: 3 }],
  boolean: [{ name: 'flag', value: true }],
};
const OLD_FIELDS = {
  values: [
    { name: 'text', stringValue: '={{ $json.name }}' },
    { name: 'n', type: 'numberValue', numberValue: '3' },
  ],
};
const OLD_NODES: readonly { readonly type: string; readonly typeVersion: number; readonly parameters: object }[] = [
  { type: 'if', typeVersion: 1, parameters: { conditions: OLD_CONDITIONS } },
  { type: 'if', typeVersion: 1, parameters: { conditions: OLD_CONDITIONS, combineOperation: 'any' } },
  { type: 'filter', typeVersion: 1, parameters: { conditions: OLD_CONDITIONS, combineConditions: 'OR' } },
  { type: 'set', typeVersion: 1, parameters: { values: OLD_VALUES, keepOnlySet: true } },
  { type: 'set', typeVersion: 2, parameters: { values: OLD_VALUES } },
  { type: 'set', typeVersion: 3.2, parameters: { fields: OLD_FIELDS, include: 'none' } },
  { type: 'set', typeVersion: 3, parameters: { fields: OLD_FIELDS } },
];
