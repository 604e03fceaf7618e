import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { personalDataFound } from '../../packages/core/src/execution/outcome/diagnostics.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import type { Task } from '../../packages/server/src/agent/task.ts';
import { taskBegun, taskEnded, workClaimed } from '../../packages/server/src/diagnostics.ts';
import { createMetrics } from '../../packages/server/src/metrics/metrics.ts';
import { quotaError } from '../../packages/server/src/rate-limit/quota-error.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Family, parseExposition } from '../fixtures/exposition.ts';
import { at, DEPLOY, list, readYaml } from './yaml.ts';

const text = readFileSync(join(DEPLOY, 'grafana-dashboard.json'), 'utf8');
const dashboard: unknown = JSON.parse(text);
const panels = list(dashboard, 'panels');
const graphs = panels.filter((panel) => at(panel, 'type') !== 'row');
const targets = graphs.flatMap((panel) => list(panel, 'targets'));
const expressions = targets.map((target) => String(at(target, 'expr')));

const rules = list(readYaml('prometheus-alerts.yaml')[0], 'groups').flatMap((group) => list(group, 'rules'));
const alerts = rules.map((rule) => String(at(rule, 'expr')));

/** Labels that Prometheus adds to each series. */
const ADDED = ['instance', 'job'];

let families: Map<string, Family>;
beforeAll(async () => {
  const counts = { ready: 1, running: 1, waiting: 1, oldestReadyMs: 1, leaseAgeMs: 1 };
  const metrics = createMetrics({ work: async () => counts, redis: () => 'connected' });
  const app = new Hono();
  app.use('*', metrics.requests);
  app.get('/metrics', metrics.handler);
  await using toolwright = await createToolwright({
    tools: { own: { tools: { one: { run: () => 1 } } } },
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
  });
  await toolwright.execute('await callMCPTool("own__one", {}); throw new Error("x")');
  const usage = { steps: 1, inputTokens: 1, outputTokens: 1, costUsd: 1 };
  const task: Task = {
    id: 't',
    sessionId: 's',
    userId: 'u',
    task: 'x',
    model: 'scripted/x',
    status: 'running',
    createdAt: '',
    executions: [],
    usage: { steps: 0, inputTokens: 0, outputTokens: 0 },
  };
  taskBegun.publish(task);
  taskEnded.publish({ ...task, status: 'completed', usage });
  personalDataFound.publish('EMAIL');
  quotaError('user', 'tokensPerDay', 1, 1);
  workClaimed.publish({ kind: 'execution', waitedMs: 1, lostMs: 1 });
  await app.request('/metrics');
  families = parseExposition(await (await app.request('/metrics')).text());
  metrics.close();
});
afterAll(() => families.clear());

/** Returns the samples that a name in an expression refers to. */
function samplesOf(name: string) {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|count|sum)$/, ''));
  return family?.samples.filter((sample) => sample.name === name) ?? [];
}

it('uses only existing metrics and labels, and so do the alert rules', () => {
  expect(expressions.length).toBeGreaterThan(25);
  expect(alerts.length).toBeGreaterThan(8);
  // Prometheus itself adds "up".
  for (const expression of [...expressions, ...alerts.filter((each) => !each.startsWith('up{'))]) {
    const selectors = [...expression.matchAll(/([a-z_:][a-z0-9_:]*)\{([^}]*)\}/g)];
    expect(selectors.length, expression).toBeGreaterThan(0);
    const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */));
    for (const [, name = '', matchers = ''] of selectors) {
      const samples = samplesOf(name);
      expect(samples.length, `${name} has no series`).toBeGreaterThan(0);
      const labels = new Set([...ADDED, ...samples.flatMap((sample) => Object.keys(sample.labels))]);
      const wanted = [...matchers.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);
      for (const label of [...wanted, ...grouped]) expect([...labels], expression).toContain(label);
    }
  }
});

it('shows every metric of Toolwright', () => {
  const own = [...families.keys()].filter((name) => name.startsWith('toolwright_'));
  expect(own.filter((name) => !text.includes(name))).toEqual([]);
});

it('reads counters by their rate, histograms by their buckets, and gauges directly', () => {
  for (const expression of expressions) {
    for (const [, rate, name = ''] of expression.matchAll(/(rate\()?\b([a-z]\w*)\{/g)) {
      expect(rate === 'rate(', `${expression}: ${name}`).toBe(/_(total|bucket)$/.test(name));
    }
    expect(expression.split('(').length, expression).toBe(expression.split(')').length);
  }
});

describe('alert rules', () => {
  it('have a name of their own, a severity, and texts for a person', () => {
    const names = rules.map((rule) => at(rule, 'alert'));
    expect(new Set(names).size).toBe(names.length);
    for (const rule of rules) {
      expect(String(at(rule, 'alert'))).toMatch(/^Toolwright[A-Z]\w+$/);
      expect(['warning', 'critical']).toContain(at(rule, 'labels.severity'));
      for (const text of ['summary', 'description'])
        expect(String(at(rule, `annotations.${text}`)).length).toBeGreaterThan(20);
    }
  });

  it('compare a rate of counters, or a gauge, with a number', () => {
    for (const alert of alerts) {
      expect(alert).toMatch(/ (>|==) [\d.]+$/);
      expect(alert.split('(').length, alert).toBe(alert.split(')').length);
      for (const [, call, name = ''] of alert.matchAll(/(rate\(|increase\()?\b([a-z]\w*)\{/g)) {
        expect(call !== undefined, `${alert}: ${name}`).toBe(name.endsWith('_total'));
      }
    }
  });

  it('show labels that their expression keeps', () => {
    for (const rule of rules) {
      const [alert, text] = [String(at(rule, 'expr')), JSON.stringify(at(rule, 'annotations'))];
      for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) {
        expect(label === 'instance' || new RegExp(`by \\([^)]*\\b${label}\\b`).test(alert), alert).toBe(true);
      }
    }
  });
});

it('has every grouping label in its legend', () => {
  for (const target of targets) {
    const legend = String(at(target, 'legendFormat'));
    const expression = String(at(target, 'expr'));
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(
        label === 'instance' || new RegExp(`by \\([^)]*\\b${label}\\b`).test(expression),
        `${legend}: ${expression}`,
      ).toBe(true);
    }
  }
});

it('has no overlapping or repeated panels, and a data source that the user chooses', () => {
  const ids = panels.map((panel) => at(panel, 'id'));
  expect(new Set(ids).size).toBe(ids.length);
  const places = panels.map((panel) => Object(at(panel, 'gridPos')) as Record<'x' | 'y' | 'w' | 'h', number>);
  for (const [index, a] of places.entries()) {
    expect(a.x + a.w).toBeLessThanOrEqual(24);
    for (const b of places.slice(index + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      expect(apart).toBe(true);
    }
  }
  const sources = [...graphs, ...targets].map((part) => at(part, 'datasource.uid'));
  expect(new Set(sources).size).toBe(1);
  expect(list(dashboard, 'templating.list').map((variable) => at(variable, 'name'))).toEqual([
    'datasource',
    'instance',
  ]);
});
