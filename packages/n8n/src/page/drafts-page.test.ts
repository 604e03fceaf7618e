import type { ExecutionCall } from '@toolwright/core';
import { expect, test } from 'vitest';
import { draftsPage, readGraph } from './drafts-page.ts';

const A = { name: 'A', type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters: { path: 'a' } };
const B = { name: 'B', type: 'n8n-nodes-base.noOp', disabled: true };
const MODEL = { name: 'M', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi' };
const WORKFLOW = {
  name: 'Two',
  nodes: [A, B, MODEL],
  connections: {
    A: { main: [null, [{ node: 'B', type: 'main', index: 1 }]] },
    M: { ai_languageModel: [[{ node: 'B', type: 'ai_languageModel', index: 0 }]] },
  },
};
const PROBLEM = { code: 'NO_TRIGGER', message: 'No trigger.', fix: 'Add one.' };
const AT_NODE = { code: 'PARAMETER_EMPTY', node: 'B', path: 'parameters.x', message: 'Empty.', fix: 'Set it.' };
const VALIDATION = { valid: false, publishable: false, errors: [PROBLEM], warnings: [AT_NODE] };

const call = (number: number, name: string, given: unknown, result: unknown, more: object = {}) =>
  ({
    number,
    tool: `n8n-workflows__${name}`,
    outcome: 'answered',
    startedAt: `2026-01-01T00:00:0${number}.000Z`,
    arguments: given,
    argumentBytes: 1,
    result,
    resultBytes: 1,
    ...more,
  }) as ExecutionCall;

test('reads nodes, connections of all types and their ports', () => {
  expect(readGraph(WORKFLOW)).toEqual({
    name: 'Two',
    nodes: [
      { name: 'A', type: 'n8n-nodes-base.webhook', typeVersion: 2, disabled: false },
      { name: 'B', type: 'n8n-nodes-base.noOp', disabled: true },
      { name: 'M', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', disabled: false },
    ],
    connections: [
      { from: 'A', to: 'B', type: 'main', output: 1, input: 1 },
      { from: 'M', to: 'B', type: 'ai_languageModel', output: 0, input: 0 },
    ],
    nodeCount: 3,
    connectionCount: 2,
  });
});

test.each([
  [{ nodes: [null, 3, 'x', {}] }, 1, 0],
  [{ nodes: [], connections: { A: null, B: { main: 'text' }, C: { main: [['x', {}]] } } }, 0, 1],
  [{ nodes: Array.from({ length: 3_000 }, () => A), connections: [] }, 3_000, 0],
])('leaves out parts that n8n does not write: %#', (workflow, nodes, connections) => {
  const graph = readGraph(workflow);
  expect([graph?.nodeCount, graph?.connectionCount]).toEqual([nodes, connections]);
  expect(graph?.nodes.length).toBeLessThanOrEqual(1_000);
});

test('calls with the same workflow are one draft, with its last validation', () => {
  const drafts = draftsPage.graphs([
    call(1, 'buildWorkflow', { name: 'Two' }, WORKFLOW),
    call(2, 'validateWorkflow', WORKFLOW, VALIDATION),
    call(3, 'validateWorkflow', { workflow: JSON.stringify(WORKFLOW) }, { ...VALIDATION, errors: [] }),
    call(4, 'createWorkflow', { workflow: WORKFLOW }, { id: 'w1' }),
  ]);
  expect(drafts).toMatchObject([
    {
      call: 1,
      name: 'Two',
      at: '2026-01-01T00:00:04.000Z',
      steps: ['built', 'validated', 'created'],
      problems: [{ level: 'warning', ...AT_NODE }],
    },
  ]);
});

test('a fixed workflow is a draft of its own', () => {
  const fixed = { ...WORKFLOW, nodes: [A, { ...B, disabled: false }] };
  const drafts = draftsPage.graphs([
    call(1, 'buildWorkflow', {}, WORKFLOW),
    call(2, 'autofixWorkflow', { workflow: WORKFLOW }, { workflow: fixed, fixes: ['x'], remaining: VALIDATION }),
  ]);
  expect(drafts.map(({ call: number, steps, problems }) => [number, steps, problems?.length])).toEqual([
    [1, ['built'], undefined],
    [2, ['fixed'], 2],
  ]);
});

test('failed, invented and too large calls, and other values, have no draft', () => {
  const { result: _result, ...large } = call(3, 'buildWorkflow', {}, {});
  expect(
    draftsPage.graphs([
      call(1, 'buildWorkflow', {}, WORKFLOW, { outcome: 'failed' }),
      call(2, 'buildWorkflow', {}, WORKFLOW, { isInvented: true }),
      large,
      call(4, 'validateWorkflow', { workflow: '{"nodes":' }, VALIDATION),
      call(5, 'buildWorkflow', {}, 'text'),
    ]),
  ).toEqual([]);
});
