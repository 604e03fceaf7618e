import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from '@toolwright/core';
import { afterAll, expect, test } from 'vitest';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { type DirectCall, directCallError } from './direct-call.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-test-'));
const toolwright = await createToolwright({
  dataDir,
  sandbox: warmQuickjs(),
  tools: { shop: { tools: { get: { run: () => ({ id: 1 }) } } } },
});
afterAll(async () => {
  await toolwright.close();
  rmSync(dataDir, { recursive: true });
});
const own = ['execute_code', 'search_tools', 'get_tool_definition'];
const callOf = (changed: Partial<DirectCall>) =>
  directCallError(toolwright, { name: 'shop__get', args: {}, own, language: 'typescript', userId: 'ann', ...changed });

test('a tool of a server is answered with the program in TypeScript', async () => {
  const { isInner, error } = await callOf({ args: { id: 7, all: true } });
  expect([isInner, error.message]).toEqual([
    true,
    expect.stringContaining(
      'execute_code with language "typescript" and this code:\nreturn await callMCPTool("shop__get", {"id":7,"all":true})',
    ),
  ]);
});

test('a tool of a server is answered with the program in Python', async () => {
  const { error } = await callOf({ language: 'python', args: { id: 7, all: true, none: null, tags: ['a'] } });
  expect(error.message).toContain(
    'result = await call_mcp_tool("shop__get", {"id": 7, "all": True, "none": None, "tags": ["a"]})',
  );
});

test('an unknown tool of a server is answered with the program and similar names', async () => {
  const { isInner, error } = await callOf({ name: 'shop__gett' });
  expect([isInner, error.code, error.message]).toEqual([
    true,
    'UNKNOWN_TOOL',
    expect.stringMatching(/callMCPTool\("shop__gett"[\s\S]*Did you mean shop__get\?/),
  ]);
});

test.each(['shop.get', 'shop/get', 'shop_get', 'mcp__shop__get', 'servers.shop.get', 'Shop__Get', 'shop:get', 'get'])(
  'the program of %s has the name of the tool that it means',
  async (name) => {
    const { isInner, error } = await callOf({ name });
    expect([isInner, error.code, error.message.split('\n').slice(1)]).toEqual([
      true,
      'INVALID_ARGUMENTS',
      ['return await callMCPTool("shop__get", {})'],
    ]);
  },
);

test.each([
  ['run_code', 'Did you mean execute_code?'],
  ['serch_tools', 'Did you mean search_tools?'],
  ['read_file', 'There is no tool "read_file" here. The tools are: execute_code, search_tools, get_tool_definition.'],
])('the unknown tool %s is answered with those that exist', async (name, text) => {
  const { isInner, error } = await callOf({ name });
  expect([isInner, error.code, error.message]).toEqual([false, 'UNKNOWN_TOOL', expect.stringContaining(text)]);
});

test('long arguments and names are left out', async () => {
  const { error } = await callOf({ args: { text: 'x'.repeat(100_000) }, name: `shop__${'n'.repeat(10_000)}` });
  expect(error.message.length).toBeLessThan(3_000);
});
