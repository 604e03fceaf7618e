import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { DEFINITIONS, PROFILES, type ToolName } from './definitions.ts';

/** What two tools of a later version may cost is left free. */
const MAX_TOKENS = { full: 800, core: 350 };

/** Tools as a client hands them to a model. */
const handed = (names: readonly ToolName[]) =>
  JSON.stringify(
    names.map((name) => {
      const { description, inputSchema } = DEFINITIONS[name];
      return { name, description, input_schema: inputSchema };
    }),
  );

describe.each(['full', 'core'] as const)('the profile %s', (profile) => {
  test(`costs a model at most ${MAX_TOKENS[profile]} tokens`, () => {
    expect(countTokens(handed(PROFILES[profile]))).toBeLessThanOrEqual(MAX_TOKENS[profile]);
  });
});

test.each(Object.entries(DEFINITIONS))('%s says what it does, takes and gives', (_name, definition) => {
  const { title, description, inputSchema, outputSchema, annotations } = definition;
  expect([title, description].every((text) => text.length > 0)).toBe(true);
  expect(Object.keys(annotations).sort()).toEqual([
    'destructiveHint',
    'idempotentHint',
    'openWorldHint',
    'readOnlyHint',
  ]);
  for (const { type, properties, required = [] } of [inputSchema, outputSchema]) {
    expect([type, required.filter((name) => !Object.hasOwn(properties, name))]).toEqual(['object', []]);
  }
});
