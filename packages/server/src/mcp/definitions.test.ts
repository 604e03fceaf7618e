import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { DEFINITIONS, PROFILES, type ToolName } from './definitions.ts';

/** The limits leave space for two more tools. */
const MAX_TOKENS = { full: 800, core: 350 };

/** The tool definitions that a client sends to a model, as JSON. */
const sentToModel = (names: readonly ToolName[]) =>
  JSON.stringify(
    names.map((name) => {
      const { description, inputSchema } = DEFINITIONS[name];
      return { name, description, input_schema: inputSchema };
    }),
  );

describe.each(['full', 'core'] as const)('the profile %s', (profile) => {
  test(`costs a model at most ${MAX_TOKENS[profile]} tokens`, () => {
    expect(countTokens(sentToModel(PROFILES[profile]))).toBeLessThanOrEqual(MAX_TOKENS[profile]);
  });
});

test.each(Object.entries(DEFINITIONS))(
  '%s has a description, all annotations and valid schemas',
  (_name, definition) => {
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
  },
);
