import { expect, it } from 'vitest';
import { resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';
import { validateCall } from './validate.ts';

const target = resolvedTool(undefined, {
  inputSchema: { type: 'object', properties: { to: { enum: ['ada@example.com'] } }, required: ['to'] },
});

it('accepts restored values that match the schema', () => {
  expect(() => validateCall({ args: { to: 'ada@example.com' }, written: new Map() }, target)).not.toThrow();
});

it('raises an unredacted error that spells placeholders as the program wrote them', () => {
  const written = new Map([['bob@example.com', '[EMAIL_1]']]);
  let thrown: unknown;
  try {
    validateCall({ args: { to: 'bob@example.com' }, written }, target);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UnredactedError);
  const { error, source } = thrown as UnredactedError;
  expect([error.code, error.details, source]).toEqual(['INVALID_ARGUMENTS', { tool: 'crm__find' }, undefined]);
  expect(error.message).toMatch(/^Invalid arguments: to: expected "ada@example.com", got string "\[EMAIL_1\]"/);
});
