// Saves a completed program as a skill. Other sessions of the same user find it together with the tools, and run it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const deals = [
  { name: 'Alpha', risk: 0.9 },
  { name: 'Beta', risk: 0.2 },
];
let calls = 0;
const find_deals = {
  description: 'Lists the deals of a region',
  inputSchema: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
  run: async () => {
    calls++;
    return deals;
  },
};

const state = await mkdtemp(join(tmpdir(), 'toolwright-example-'));
const toolwright = await createToolwright({ dataDir: state, tools: { crm: { tools: { find_deals } } } });
try {
  const userId = 'ada';
  const worked = await toolwright.execute(
    `import * as crm from './servers/crm/index.js';
     const region = 'north';
     const found = await crm.findDeals({ region });
     return found.filter(({ risk }) => risk > 0.5).map(({ name }) => name);`,
    { userId },
  );
  assert.deepEqual(worked.value, ['Alpha']);

  const skill = await toolwright.skills(userId).saveExecution(worked.executionId, {
    name: 'risky-deals',
    description: 'Names the deals of a region that have a high risk.',
    parameters: { region: 'north' },
  });
  assert.equal(calls, 1, 'the replay sends nothing');
  console.log('saved:', skill.signatures[0].call);

  // In another session, the search returns the skill like a tool, and the returned line runs it.
  const { id: sessionId } = await toolwright.sessions.create({ userId });
  const { hits } = await toolwright.search('deals with high risk', { userId });
  assert.equal(hits[0].id, 'risky-deals');
  const used = await toolwright.execute(`return run_skill('risky-deals', { region: 'south' })`, { userId, sessionId });
  assert.deepEqual(used.value, ['Alpha']);
  console.log('found:', hits[0].signature, '→', used.value);

  assert.deepEqual(await toolwright.skills('bob').list(), []);
} finally {
  await toolwright.close();
  await rm(state, { recursive: true, force: true });
}
