import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { fixture, until } from '../../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { countTokens } from '../../../../core/src/telemetry/tokenizer.ts';
import { createToolwright } from '../../../../core/src/toolwright.ts';
import { systemPrompt } from '../../agent/prompts/prompt.ts';
import { PROFILE_TOOLS, type ToolName } from '../tools/definitions.ts';
import { noteTools } from './note-tools.ts';
import { openRecentTools } from './recent-tools.ts';
import { instructionsOf, instructionsText, PROFILE_TOKENS, shownDefinition } from './text.ts';

const listed = PROFILE_TOOLS.full.filter((name) => name !== 'restore_pii');
const definitionTokens = (names: readonly ToolName[]) =>
  names.reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);
const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
const find = { description: 'Finds', inputSchema, run: () => 'found' };

test('pinned tools come first, then those that the user called lately, within the limit of the profile', async () => {
  const tools = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`shop-${index}`, { tools: { find, buy: find } }]),
  );
  await using toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), tools });
  const recent = openRecentTools();
  const calls = [
    { tool: 'shop-1__find', status: 'answered' },
    { tool: 'shop-2__find', status: 'answered' },
    { tool: 'shop-3__find', status: 'failed' },
    { tool: 'gone__find', status: 'answered' },
  ];
  await noteTools({ status: 'completed', calls } as never, partial({ recent, toolwright, user: 'ada' }));
  await toolwright.servers({ load: true });
  const open = async () => toolwright;
  const instructions = instructionsOf({ open, profile: 'full', listed, pinned: ['shop-4__buy', 'no__tool'], recent });
  const text = await instructions('ada');
  expect(text).toMatch(/^60 tools of 30 servers/);
  expect(text.split('\n').slice(1)).toEqual([
    'Used lately:',
    'callMCPTool("shop-4__buy", {id: string})',
    'callMCPTool("shop-2__find", {id: string})',
    'callMCPTool("shop-1__find", {id: string})',
  ]);
  expect(definitionTokens(listed) + countTokens(text)).toBeLessThanOrEqual(PROFILE_TOKENS.full);
  expect(await instructions('bob')).not.toContain('shop-2__find');
});

test('servers without tools, and servers that still start, have their own text', () => {
  const limits = { maxTokens: 50, countTokens };
  expect(instructionsText({ tools: 0, servers: 0, first: [] }, [], limits)).toMatch(/^No server is configured/);
  expect(instructionsText('The servers are still starting.', [], limits)).toBe('The servers are still starting.');
  expect(
    instructionsText({ tools: 1, servers: 1, first: [{ name: 'a', tools: 1 }] }, [], { maxTokens: 3, countTokens }),
  ).toBe('');
});

test('one sentence names resources, where servers have some and it fits', async () => {
  const servers = {
    tools: 2_000,
    servers: 40,
    first: [
      { name: 'alpha', tools: 9 },
      { name: 'beta', tools: 8, topic: 'mail' },
    ],
  };
  const limits = { maxTokens: PROFILE_TOKENS.core - definitionTokens(PROFILE_TOOLS.core), countTokens };
  const text = instructionsText(servers, [], { ...limits, hasResources: true });
  expect(text).toContain('\nResources: list_resources(), read_resource(uri)');
  expect(countTokens(text)).toBeLessThanOrEqual(limits.maxTokens);
  expect(instructionsText(servers, [], limits)).not.toContain('resources');
  expect(instructionsText(servers, [], { ...limits, maxTokens: 12, hasResources: true })).not.toContain('resources');
});

test.each([
  ['documents', true],
  ['basic', false],
])('the server %s has resources: %s', async (name, hasResources) => {
  await using toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
    mcpServers: { [name]: fixture(name) },
  });
  const instructions = instructionsOf({
    open: async () => toolwright,
    profile: 'full',
    listed,
    pinned: [],
    recent: openRecentTools(),
  });
  const sentence = 'Resources: list_resources(), read_resource(uri)';
  await instructions('ada');
  await until(async () => !(await instructions('ada')).includes('starting'));
  if (hasResources) await until(async () => (await instructions('ada')).includes(sentence));
  else expect(await instructions('ada')).not.toContain(sentence);
  const prompt = await (await systemPrompt())(toolwright, { user: 'ada', language: 'typescript' });
  expect(prompt.includes(sentence)).toBe(hasResources);
  await toolwright.addServer('more', fixture('documents'));
  await until(async () => (await instructions('ada')).includes(sentence));
});

test('the servers of a large catalog take at most 25 tokens', () => {
  const first = Array.from({ length: 10 }, (_, index) => ({ name: `server-of-department-${index}`, tools: 90 }));
  const text = instructionsText({ tools: 900, servers: 10, first }, [], { maxTokens: 200, countTokens });
  expect(text).toMatch(/^900 tools of 10 servers: server-of-department-0 \(90\).*, …$/);
  expect(countTokens(text)).toBeLessThanOrEqual(25);
});
