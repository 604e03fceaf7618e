import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { DEFINITIONS, PROFILES } from './definitions.ts';
import { instructionsText, PROFILE_TOKENS, shownDefinition } from './instructions/text.ts';

const PII_LINE = /\[EMAIL_1\].*pii\.match.*pii\.derive/;
/** Servers with names of many tokens, and calls of tools that were used lately. */
const names = Array.from({ length: 10 }, (_, index) => `vendor-${index}-customer-relations`);
const calls = Array.from(
  { length: 8 },
  (_, index) => `callMCPTool("vendor__find_${index}", {query: string, page?: number})`,
);

describe.each(['full', 'core'] as const)('the profile %s', (profile) => {
  const used = PROFILES[profile].reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);

  test.each([0, 36, 150, 650, 6_000, 50_000])(
    'costs a model at most its limit with instructions, with %i tools',
    (tools) => {
      const maxTokens = PROFILE_TOKENS[profile] - used;
      const servers = { tools, servers: Math.ceil(tools / 10), names };
      const text = instructionsText(servers, calls, { maxTokens, countTokens });
      expect(used + countTokens(text)).toBeLessThanOrEqual(PROFILE_TOKENS[profile]);
      // All twelve tools leave little, but never nothing.
      expect(text).toMatch(tools === 0 ? /^No server/ : new RegExp(`^${tools} tools of \\d+ servers`));
    },
  );
});

test('the definition of execute_code has an example of a call, and the functions for placeholders', () => {
  const { description } = DEFINITIONS.execute_code;
  expect(description).toContain("return await callMCPTool('server__tool', {");
  expect(description).toMatch(PII_LINE);
});

test('a client that hides tools until a search shows those of the core, and only those', () => {
  const shown = PROFILES.full.filter((name) => DEFINITIONS[name]._meta?.['anthropic/alwaysLoad'] === true);
  expect(shown).toEqual(PROFILES.core);
});

test.each(Object.entries(DEFINITIONS))(
  '%s has a description, all annotations and valid schemas',
  (_name, definition) => {
    const { title, description, inputSchema, accepts = {}, annotations } = definition;
    expect([title, description].every((text) => text.length > 0)).toBe(true);
    expect(Object.keys(annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    const properties = { ...inputSchema.properties, ...accepts.properties };
    const required = [...(inputSchema.required ?? []), ...(accepts.required ?? [])];
    expect([inputSchema.type, required.filter((name) => !Object.hasOwn(properties, name))]).toEqual(['object', []]);
  },
);

test('the page of the MCP server lists every argument that models do not read', () => {
  const page = readFileSync(new URL('../../../../docs/mcp-server.md', import.meta.url), 'utf8');
  const unlisted = Object.values(DEFINITIONS).flatMap(({ accepts }) => Object.keys(accepts?.properties ?? {}));
  expect([...new Set(unlisted)].filter((name) => !new RegExp(`\\| .*\`${name}\\b`).test(page))).toEqual([]);
});
