import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

/** A bound for the time that a workflow holds this process. Hostile ones ended it, or held it for minutes. */
const MAX_HELD_MS = 5_000;
/** A bound for one user's validation while another user sends hostile workflows. */
const MAX_OTHERS_MS = 30_000;

const toolwright = await createToolwright({
  plugins: [n8nPlugin({ catalog: 'example' })],
  dataDir: temporaryFolder(),
  sandbox: 'quickjs',
});
afterAll(() => toolwright.close());

/** Validates a workflow whose Set node has the values of these JavaScript expressions as its texts. */
async function validate(texts: readonly string[], userId: string, tool = 'validateWorkflow') {
  const result = await toolwright.execute(
    `const nodes = [
  { id: '1', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0], webhookId: 'w',
    parameters: { path: 'x', httpMethod: 'POST' } },
  { id: '2', name: 'Code', type: 'n8n-nodes-base.code', typeVersion: 2, position: [0, 0],
    parameters: { jsCode: 'return items;', notes: [${texts.join(', ')}] } },
];
const connections = { Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } };
const answer = await callMCPTool('n8n-workflows__${tool}', { workflow: { name: 'W', nodes, connections } });
return (answer.remaining ?? answer).warnings.map(({ code, path, message }) => [code, path, message.slice(0, 300)]);`,
    { userId, check: false },
  );
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  const warnings = result.value as [code: string, path: string, message: string][];
  return warnings.filter(([code]) => code !== 'UNKNOWN_PARAMETER');
}

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['tagged templates', "'={{ a' + '``'.repeat(200_000) + ' }}'"],
  ['brackets', "'={{ ' + '['.repeat(400_000) + ' }}'"],
  ['objects', "'={{ ' + '({a:'.repeat(120_000) + ' }}'"],
  ['a chain of in', "'={{ a' + ' in a'.repeat(100_000) + ' }}'"],
  ['a chain of instanceof', "'={{ a' + ' instanceof a'.repeat(38_000) + ' }}'"],
  ['a chain of optional members', "'={{ a' + '?.a'.repeat(160_000) + ' }}'"],
  ['arrow functions', "'={{ ' + 'a=>'.repeat(160_000) + ' }}'"],
];

test.each(HOSTILE)('an expression made of %s costs only its own finding', async (_name, text) => {
  const held = monitorEventLoopDelay();
  held.enable();
  const findings = await validate([text, "'={{ 1 + }}'", "'={{ $json.body.a }}'"], 'mallory');
  held.disable();
  const found = findings.map(([code, path]) => `${code} ${path}`);
  // A worker survives some of these chains.
  expect(found.filter((each) => !each.endsWith('[0]'))).toEqual(['EXPRESSION_SYNTAX parameters.notes[1]']);
  expect(held.max / 1e6).toBeLessThan(MAX_HELD_MS);
});

test('a workflow of many such expressions does not delay another user', async () => {
  const many = Array.from({ length: 4 }, (_, at) => `'={{ a${at}' + '\`\`'.repeat(100_000) + ' }}'`);
  const hostile = Promise.all([1, 2].map(() => validate(many, 'mallory')));
  const started = performance.now();
  const findings = await validate(["'={{ 2 + }}'", "'={{ $json.body.b }}'"], 'ada');
  expect(performance.now() - started).toBeLessThan(MAX_OTHERS_MS);
  expect(findings.map(([code, path]) => `${code} ${path}`)).toEqual(['EXPRESSION_SYNTAX parameters.notes[0]']);
  for (const found of await hostile) {
    expect(found).toHaveLength(4);
    for (const finding of found) expect(finding[2]).toMatch(/too complex to be read/);
  }
});

test('an autofix of a hostile text leaves it alone', async () => {
  const findings = await validate(["'Hi {{ $json.a' + '``'.repeat(200_000) + ' }}'"], 'mallory', 'autofixWorkflow');
  expect(findings.map(([code]) => code)).toEqual(['EXPRESSION_WITHOUT_EQUALS']);
});
