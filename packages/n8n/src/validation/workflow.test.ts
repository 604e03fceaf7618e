import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { readWorkflow } from './workflow.ts';

const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;

it('reads a file that starts with a byte order mark', () => {
  expect(readWorkflow('\uFEFF{"name":"a","nodes":[],"connections":{}}').name).toBe('a');
});

it.each([
  ['lists', nested(200_000, '[', ']')],
  ['objects', nested(200_000, '{"a":', '}')],
  ['templates', nested(200_000, '{"workflow":', '}')],
  ['a parameter', `{"nodes":[{"parameters":${nested(101, '[', ']')}}]}`],
])('refuses a deeply nested workflow in words: %s', async (_what, text) => {
  for (const input of [text, JSON.parse(text)]) {
    const failure = await failureOf((async () => readWorkflow(input))());
    expect([failure.code, failure.message]).toEqual([
      'INVALID_ARGUMENTS',
      expect.stringContaining('The workflow is nested deeper than 100 levels.'),
    ]);
  }
});
