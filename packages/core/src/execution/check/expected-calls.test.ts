import type { Tool } from '@toolwright/connectors';
import type { LanguageName } from '@toolwright/sandbox';
import type { ProgramFlow } from '@toolwright/sandbox/internal';
import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { policySchema } from '../../config/policy/schema.ts';
import { createPolicy } from '../../tool-calls/policy/create-policy.ts';
import { expectedCalls } from './expected-calls.ts';

const properties = { to: { type: 'string' }, body: { type: 'string' }, id: { type: 'string' } };
const tools = ['mail__list', 'mail__send', 'mail__star_message', 'crm__get'].map((id): Tool => {
  const [server = '', name = ''] = id.split('__');
  return { id, server, definition: { name, inputSchema: { type: 'object', properties } as never } };
});
const catalog = {
  functionOf: (server: string, name: string, language: LanguageName) =>
    language === 'python' && `${server}__${name}` === 'mail__star' ? tools[2] : undefined,
  tool: async (id: string) => tools.find((tool) => tool.id === id) ?? Promise.reject(new Error(`There is no ${id}.`)),
};
const site = (tool: string | undefined, path: string, from: string[], isComputed = false) => ({
  tool,
  leaves: [[path, { from, isComputed }]] as const,
});

/** Returns the action and reason of the last tool. */
async function expected(flow: ProgramFlow, { hasSeenPublicData = false, settings = { preset: 'guarded' } } = {}) {
  const policy = createPolicy(policySchema.parse({ ...settings, trust: [{ tools: 'crm__get', trust: 'owner' }] }));
  const caller = { userId: 'ann', sessionId: undefined };
  const language = 'typescript';
  const calls = await expectedCalls(flow, { catalog: partial(catalog), policy, caller, language, hasSeenPublicData });
  const { action, rule = '' } = calls?.at(-1) ?? {};
  return [action, rule.replace('the preset "guarded": ', '')];
}

it.each([
  ['own text', site('mail__send', 'to', []), 'allow'],
  ['data of another', site('mail__send', 'to', ['mail__list']), 'ask'],
  ['trusted data', site('mail__send', 'to', ['crm__get'], true), 'allow'],
  ['a record of the same server', site('mail__star_message', 'id', ['mail__list']), 'allow'],
  ['a computed record', site('mail__star_message', 'id', ['mail__list'], true), 'ask'],
  ['arguments as a whole', site('mail__send', '', ['mail__list'], true), 'ask'],
])('expects a decision by %s', async (_what, call, action) => {
  const flow = [site('mail__list', '', []), site('crm__get', 'id', []), call];
  expect((await expected(flow))[0]).toBe(action);
});

it('has the reason of a question, and judges all places that call a tool together', async () => {
  const flow = [site('mail__send', 'to', []), site('mail__send', 'to', ['mail__list', '?'], true)];
  expect(await expected(flow)).toEqual(['ask', '"to" is computed from mail__list, files, errors or unknown code']);
  const seen = await expected([site('mail__send', 'to', [])], { hasSeenPublicData: true });
  expect(seen).toEqual(['ask', '"to" is written in the program, after it saw public data']);
});

it('knows nothing of a program that hides its tools, and leaves out unknown tools', async () => {
  expect(await expected(undefined)).toEqual([undefined, '']);
  expect(await expected([site(undefined, '', [])])).toEqual([undefined, '']);
  expect(await expected([site('mail__gone', 'to', [])])).toEqual([undefined, '']);
});

it('has the decisions of rules and of other presets', async () => {
  const settings = { preset: 'careful', rules: [{ tools: 'mail__send', action: 'deny' }] };
  expect(await expected([site('mail__send', 'to', [])], { settings })).toEqual(['deny', 'policy.rules[0]']);
  expect(await expected([site('mail__star_message', 'id', [])], { settings })).toEqual(['ask', 'the preset "careful"']);
});

it.each([
  ['python', ['mail__list', 'mail__star_message']],
  ['typescript', ['mail__list']],
] as const)('reads the names of functions as %s writes them', async (language, expectedTools) => {
  const flow = [site('mail__list', '', []), site('mail__star', 'id', ['mail__list'])];
  const policy = createPolicy(policySchema.parse({ preset: 'guarded' }));
  const caller = { userId: 'ann', sessionId: undefined };
  const calls = await expectedCalls(flow, {
    catalog: partial(catalog),
    policy,
    caller,
    language,
    hasSeenPublicData: false,
  });
  expect(calls?.map(({ tool }) => tool)).toEqual(expectedTools);
});
