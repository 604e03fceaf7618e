import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { namingProblems, parseExposition } from '../../../../test/fixtures/exposition.ts';
import { serveHono } from '../../../../test/fixtures/hono-server.ts';
import { until } from '../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type Toolwright } from '../../../core/src/toolwright.ts';
import type { Task } from '../agent/task.ts';
import { taskBegun, taskEnded } from '../diagnostics.ts';
import { quotaError } from '../rate-limit/quota-error.ts';
import { boundedLabel } from './bounded.ts';
import { createMetrics, type Metrics } from './metrics.ts';

let toolwright: Toolwright;
let metrics: Metrics;
let url: string;
let stop: () => void;

beforeAll(async () => {
  toolwright = await createToolwright({
    tools: {
      measured: {
        tools: {
          rows: { run: () => Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` })) },
          contact: { run: () => ({ address: 'ada@example.com' }) },
          send: { run: (args) => `sent to ${String(args.to).length} characters` },
          fail: {
            run: () => {
              throw new Error('no');
            },
          },
        },
      },
    },
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
  });
});
afterAll(() => toolwright.close());
beforeEach(async () => {
  metrics = createMetrics();
  const app = new Hono();
  app.use('*', metrics.requests);
  app.get('/metrics', metrics.handler);
  app.get('/tasks/:id', (context) => context.text('here'));
  ({ url, stop } = await serveHono(app));
  return () => {
    stop();
    metrics.close();
  };
});

async function read() {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const families = parseExposition(await response.text());
  return {
    families,
    /** Returns the value of a series, or 0 for a missing series. */
    value(name: string, labels: Record<string, string> = {}) {
      const family = families.get(name) ?? families.get(name.replace(/_(count|sum)$/, ''));
      if (family === undefined) throw new Error(`there is no ${name}`);
      const wanted = Object.entries(labels);
      return family.samples
        .filter((sample) => sample.name === name && wanted.every(([label, text]) => sample.labels[label] === text))
        .reduce((sum, sample) => sum + sample.value, 0);
    },
  };
}

const task = (changes: Partial<Task>): Task => ({
  id: 'task-1',
  sessionId: 's',
  userId: 'ada',
  task: 'find ada@example.com',
  model: 'scripted/test',
  status: 'running',
  createdAt: '2026-01-01T00:00:00Z',
  executions: [],
  usage: { steps: 0, inputTokens: 0, outputTokens: 0 },
  ...changes,
});

describe('metrics', () => {
  it('have the format of Prometheus and names by its rules', async () => {
    await toolwright.execute('return callMCPTool("measured__rows", {})');
    const { families } = await read();
    const ours = new Map([...families].filter(([name]) => name.startsWith('toolwright_')));
    expect(ours.size).toBeGreaterThan(15);
    expect(namingProblems(ours)).toEqual([]);
    expect([...families.keys()]).toEqual(
      expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds']),
    );
  });

  it('count executions by outcome, and calls by tool', async () => {
    await toolwright.execute('const rows = await callMCPTool("measured__rows", {}); return rows.length');
    await toolwright.execute('await callMCPTool("measured__fail", {})', { check: false });
    await toolwright.execute('for (let i = 0; i < 3; i++) await callMCPTool("measured__no" + i, {}).catch(() => 0)', {
      check: false,
    });
    await toolwright.execute('while (true) {}', { limits: { timeoutMs: 200 } });
    const { value, families } = await read();
    const here = { sandbox: 'quickjs', language: 'typescript' };
    expect(value('toolwright_executions_total', { ...here, outcome: 'completed' })).toBe(2);
    expect(value('toolwright_executions_total', { ...here, outcome: 'failed' })).toBe(1);
    expect(value('toolwright_executions_total', { ...here, outcome: 'timeout' })).toBe(1);
    expect(value('toolwright_execution_duration_seconds_count', here)).toBe(4);
    expect(value('toolwright_execution_duration_seconds_sum', here)).toBeGreaterThan(0.2);
    expect(value('toolwright_executions_in_progress', here)).toBe(0);
    expect(value('toolwright_tool_calls_total', { tool: 'measured__rows', outcome: 'answered' })).toBe(1);
    expect(value('toolwright_tool_calls_total', { tool: 'measured__fail', outcome: 'failed' })).toBe(1);
    // Unknown tools have no series of their own.
    expect(value('toolwright_tool_calls_total', { tool: 'unknown' })).toBe(3);
    expect(JSON.stringify([...families.values()])).not.toContain('measured__no');
    expect(value('toolwright_execution_errors_total', { kind: 'user' })).toBe(1);
    const bytes = value('toolwright_tool_result_bytes_total');
    expect(bytes).toBeGreaterThan(10_000);
    expect(value('toolwright_execution_saved_tokens_total')).toBeGreaterThan(bytes / 4 - 100);
    expect(value('toolwright_execution_tokens_total', { part: 'code' })).toBeGreaterThan(20);
  });

  it('report running executions and the state of the pools', async () => {
    const ending = new AbortController();
    const running = toolwright.execute('await utils.sleep(19_000)', { signal: ending.signal });
    await until(async () => (await read()).value('toolwright_sandbox_guests', { state: 'busy' }) === 1, 30_000);
    const { value } = await read();
    expect(value('toolwright_executions_in_progress')).toBe(1);
    expect(value('toolwright_sandbox_waiting_executions', { sandbox: 'quickjs' })).toBe(0);
    ending.abort();
    await running;
    const after = await read();
    expect(after.value('toolwright_executions_total', { outcome: 'cancelled' })).toBe(1);
    expect(after.value('toolwright_executions_in_progress')).toBe(0);
  });

  it('count tasks, and the usage before and after a resumption once', async () => {
    const interrupted = { steps: 1, inputTokens: 100, outputTokens: 10, costUsd: 0.5 };
    taskBegun.publish(task({}));
    expect((await read()).value('toolwright_tasks_in_progress')).toBe(1);
    taskEnded.publish(task({ status: 'interrupted', usage: interrupted }));
    taskBegun.publish(task({ usage: interrupted }));
    taskEnded.publish(
      task({ status: 'completed', usage: { steps: 3, inputTokens: 350, outputTokens: 30, costUsd: 0.75 } }),
    );
    const { value, families } = await read();
    expect(value('toolwright_tasks_total', { status: 'interrupted' })).toBe(1);
    expect(value('toolwright_tasks_total', { status: 'completed' })).toBe(1);
    expect(value('toolwright_tasks_in_progress')).toBe(0);
    expect(value('toolwright_task_duration_seconds_count')).toBe(2);
    expect(value('toolwright_model_tokens_total', { model: 'scripted/test', direction: 'input' })).toBe(350);
    expect(value('toolwright_model_tokens_total', { direction: 'output' })).toBe(30);
    expect(value('toolwright_model_cost_dollars_total')).toBe(0.75);
    expect(JSON.stringify([...families.values()])).not.toMatch(/ada|task-1/);
  });

  it('count personal data by class', async () => {
    const code = `const { address } = await callMCPTool("measured__contact", {});
      return callMCPTool("measured__send", { to: address })`;
    expect(await toolwright.execute(code)).toMatchObject({ status: 'completed', value: 'sent to 15 characters' });
    const { value, families } = await read();
    expect(value('toolwright_pii_events_total', { class: 'EMAIL', event: 'found' })).toBeGreaterThan(0);
    expect(value('toolwright_pii_events_total', { class: 'EMAIL', event: 'restore' })).toBe(1);
    expect(JSON.stringify([...families.values()])).not.toContain('ada@example');
  });

  // Other files of this process have servers too: no other one has this name.
  it('have the state of each server', async () => {
    const { value } = await read();
    const [server] = await toolwright.servers();
    expect(value('toolwright_server_state', { server: server?.name ?? '', state: server?.status.state ?? '' })).toBe(1);
  });

  it('count exceeded quotas', async () => {
    quotaError('user', 'requestsPerMinute', 5, 1);
    const { value } = await read();
    expect(value('toolwright_quota_refusals_total', { scope: 'user', quota: 'requests_per_minute' })).toBe(1);
  });

  it('count requests by route, and all unknown paths together', async () => {
    for (const path of ['/tasks/1', '/tasks/2', '/nowhere/1', '/nowhere/2']) await (await fetch(url + path)).text();
    const { value } = await read();
    expect(value('toolwright_http_requests_total', { method: 'GET', route: '/tasks/:id', status: '200' })).toBe(2);
    expect(value('toolwright_http_requests_total', { route: 'unmatched', status: '404' })).toBe(2);
    expect(value('toolwright_http_request_duration_seconds_count', { route: '/tasks/:id' })).toBe(2);
  });

  it('stop counting when they are closed', async () => {
    const other = createMetrics();
    other.close();
    await toolwright.execute('return 1');
    expect((await read()).value('toolwright_executions_total')).toBe(1);
  });
});

it('a label has at most the allowed number of values', () => {
  const label = boundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other', 'b']);
});

it.each([
  ['# HELP a_total A.\n# TYPE a_total counter\na_total 1'],
  ['# TYPE a_total counter\na_total 1\n'],
  ['# HELP a_total A.\n# TYPE a_total counter\na_total{x="1"} 1\na_total{x="1"} 2\n'],
  ['# HELP a_total A.\n# TYPE a_total counter\na_total{x="1} 1\n'],
  ['# HELP a_total A.\n# TYPE a_total counter\nb_total 1\n'],
  ['# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n'],
  ['# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n'],
])('the check of the format rejects %j', (text) => {
  expect(() => parseExposition(text)).toThrow();
});
