import { expect } from 'vitest';
import { ask } from '../../fixtures/http-server.ts';
import type { Part } from '../row.ts';

export const REQUESTS: Part = {
  title: 'Requests',
  rows: [
    ...[
      'Analyze the latest sales data and create a summary report',
      'Write a simple hello world function and save it to skills',
    ].map((task, index) => ({
      item: `\`POST /task\` with \`userId\` and the task “${task}”`,
      from: 'HN',
      async check({ api }: Parameters<Part['rows'][number]['check']>[0]) {
        const { status, body } = await ask(`${await api()}/task`, {
          json: { userId: index === 0 ? 'user123' : 'test', task },
        });
        expect([status, body.status, body.answer]).toEqual([200, 'completed', 'The answer is 42.']);
      },
    })),
    {
      item: '`GET /health`',
      from: 'HN',
      async check({ api }) {
        expect(await ask(`${await api()}/health`)).toMatchObject({ status: 200, body: { status: 'ok' } });
      },
    },
    {
      item: '`POST /internal/mcp-call`, with a token of the session',
      from: 'HNS',
      differs:
        'The sandbox has no network and no token. It reaches tools by one stream that the host opened, and that ends with the program.',
      async check({ api }) {
        const { status, body } = await ask(`${await api()}/internal/mcp-call`, { json: { tool: 'x', authToken: 'y' } });
        expect([status, body.detail]).toEqual([expect.any(Number), expect.stringContaining('POST /execute')]);
        expect(status).toBeGreaterThanOrEqual(400);
      },
    },
    {
      item: 'multi-turn conversations',
      from: 'HNS',
      async check({ api }) {
        const url = await api();
        const first = await ask(`${url}/task`, { json: { task: 'one' } });
        const { sessionId } = first.body;
        const second = await ask(`${url}/task`, { json: { task: 'two', sessionId } });
        expect(second.body).toMatchObject({ status: 'completed', sessionId });
      },
    },
    {
      item: 'metrics for Prometheus',
      from: 'S',
      async check({ api }) {
        expect(await (await fetch(`${await api()}/metrics`)).text()).toContain('toolwright_executions_total');
      },
    },
  ],
};
