import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'pipe', version: '1' },
};
const MESSAGES = [
  { id: 1, method: 'initialize', params: INITIALIZE },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
];

test('the MCP server answers the requests that came before the end of its input', async () => {
  const desk = openDesk({});
  const input = MESSAGES.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const { code, out } = await desk.run(['mcp'], input.join(''));
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, answers.map(({ id }) => id).sort()]).toEqual([0, [1, 2]]);
  expect(answers.find(({ id }) => id === 2).result.tools.length).toBeGreaterThan(1);
});
