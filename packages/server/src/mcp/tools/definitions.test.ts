import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../../core/src/telemetry/tokenizer.ts';
import { instructionsText, PROFILE_TOKENS, shownDefinition } from '../instructions/text.ts';
import { DEFINITIONS, PROFILE_TOOLS, type ToolProfile } from './definitions.ts';

/** Servers with names of many tokens, and calls of tools that were used lately. */
const serverNames = Array.from({ length: 20 }, (_, index) => `vendor-${index}-customer-relations`);
const calls = Array.from(
  { length: 8 },
  (_, index) => `callMCPTool("vendor__find_${index}", {query: string, page?: number})`,
);
const tokensOf = (profile: ToolProfile) =>
  PROFILE_TOOLS[profile].reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);

test('the two tools of the core cost a model at most 110 tokens', () => {
  expect(PROFILE_TOOLS.core).toEqual(['execute_code', 'search_tools']);
  expect(tokensOf('core')).toBeLessThanOrEqual(110);
});

describe.each(['full', 'core'] as const)('the tool profile %s', (profile) => {
  test.each([0, 36, 150, 650, 6_000, 50_000])(
    'costs a model at most its limit with instructions, with %i tools',
    (tools) => {
      const maxTokens = PROFILE_TOKENS[profile] - tokensOf(profile);
      const first = serverNames.map((name) => ({ name, tools: Math.ceil(tools / 20), topic: 'customer' }));
      const servers = { tools, servers: Math.ceil(tools / 10), first };
      const text = instructionsText(servers, calls, { maxTokens, countTokens });
      expect(tokensOf(profile) + countTokens(text)).toBeLessThanOrEqual(PROFILE_TOKENS[profile]);
      // All twelve tools leave little, but never nothing.
      expect(text).toMatch(tools === 0 ? /^No server/ : new RegExp(`^${tools} tools of \\d+ servers`));
    },
  );
});

test('the definition of execute_code describes how each language returns a value, and that there is no network', () => {
  const { description } = DEFINITIONS.execute_code;
  expect(description).toContain('return await servers.server.tool({');
  expect(description).toContain('Python: result = await servers.server.tool(');
  expect(description).toContain('No network, only tools and packages');
});

test('schemas have the required arguments and the allowed values', () => {
  const { properties, required } = DEFINITIONS.execute_code.inputSchema;
  expect([required, properties?.language]).toEqual([['code'], { type: 'string', enum: ['typescript', 'python'] }]);
  const needs = Object.values(DEFINITIONS).filter(({ inputSchema }) => inputSchema.properties);
  const optional = needs.filter(({ inputSchema }) => inputSchema.required === undefined);
  expect(optional).toEqual([DEFINITIONS.list_workspace_files, DEFINITIONS.get_execution_stats]);
});

test('a client that hides tools until a search shows those of the core, and only those', () => {
  const shown = PROFILE_TOOLS.full.filter((name) => DEFINITIONS[name]._meta?.['anthropic/alwaysLoad'] === true);
  expect(shown).toEqual(PROFILE_TOOLS.core);
});

test.each(Object.entries(DEFINITIONS))(
  '%s has a description, all annotations and valid schemas',
  (_name, definition) => {
    const { title, description, inputSchema, accepts, annotations } = definition;
    expect([title, description].every((text) => text.length > 0)).toBe(true);
    expect(Object.keys(annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    const properties = { ...inputSchema.properties, ...accepts?.properties };
    const { required = [] } = inputSchema;
    expect([inputSchema.type, required.filter((name) => !Object.hasOwn(properties, name))]).toEqual(['object', []]);
  },
);

test('the page of the MCP server lists every argument that models do not read', () => {
  const page = readFileSync(new URL('../../../../../docs/mcp-server.md', import.meta.url), 'utf8');
  const unlisted = Object.values(DEFINITIONS).flatMap(({ accepts }) => Object.keys(accepts?.properties ?? {}));
  expect([...new Set(unlisted)].filter((name) => !new RegExp(`\\| .*\`${name}\\b`).test(page))).toEqual([]);
});
