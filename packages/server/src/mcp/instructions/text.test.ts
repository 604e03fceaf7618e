import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../../../../core/src/toolwright.ts';
import { PROFILES, type ToolName } from '../definitions.ts';
import { noteTools } from './note-tools.ts';
import { openRecentTools } from './recent-tools.ts';
import { instructionsOf, instructionsText, PROFILE_TOKENS, shownDefinition } from './text.ts';

const listed = PROFILES.full.filter((name) => name !== 'restore_pii');
const definitionTokens = (names: readonly ToolName[]) =>
  names.reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);
const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
const find = { description: 'Finds', inputSchema, run: () => 'found' };

test('pinned tools come first, then those that the user called lately, within the limit of the profile', async () => {
  const tools = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`shop-${index}`, { tools: { find, buy: find } }]),
  );
  await using toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs', tools });
  const recent = openRecentTools();
  const calls = [
    { tool: 'shop-1__find', status: 'answered' },
    { tool: 'shop-2__find', status: 'answered' },
    { tool: 'shop-3__find', status: 'failed' },
    { tool: 'gone__find', status: 'answered' },
  ];
  await noteTools({ status: 'completed', calls } as never, { recent, toolwright, user: 'ada' });
  await toolwright.servers({ load: true });
  const open = async () => toolwright;
  const instructions = instructionsOf({ open, profile: 'full', listed, pinned: ['shop-4__buy', 'no__tool'], recent });
  const text = await instructions('ada');
  expect(text).toMatch(/^60 tools of 30 servers, found by search_tools/);
  expect(text.split('\n').slice(1)).toEqual([
    'Used lately:',
    'callMCPTool("shop-4__buy", {id: string})',
    'callMCPTool("shop-2__find", {id: string})',
  ]);
  expect(definitionTokens(listed) + countTokens(text)).toBeLessThanOrEqual(PROFILE_TOKENS.full);
  expect(await instructions('bob')).not.toContain('shop-2__find');
});

test('servers without tools, and servers that still start, have their own text', () => {
  const limits = { maxTokens: 50, countTokens };
  expect(instructionsText({ tools: 0, servers: 0, names: [] }, [], limits)).toMatch(/^No server is configured/);
  expect(instructionsText('The servers are still starting.', [], limits)).toBe('The servers are still starting.');
  expect(instructionsText({ tools: 1, servers: 1, names: ['a'] }, [], { maxTokens: 3, countTokens })).toBe('');
});
