// A task in natural language: a model writes the program, and the program calls the tools. The default model is a script and
// needs no key. For a real model, set LLM_MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTasks, createToolwright, openModels, scriptedModel } from 'toolwright';

const prices = { tea: 3, milk: 2, bread: 4 };
const shop = {
  price: {
    description: 'The price of an item',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    run: ({ item }) => ({ price: prices[item] }),
  },
};
const script = scriptedModel([
  {
    text: 'I look up the prices.',
    code: `const items = ['tea', 'milk', 'bread'];
      const found = await Promise.all(items.map((item) => callMCPTool('shop__price', { item })));
      return found.reduce((sum, { price }) => sum + price, 0);`,
  },
  { text: 'Together they cost {{result}}.' },
]);

const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-example-'));
const toolwright = await createToolwright({ dataDir, tools: { shop: { tools: shop } } });
const models = process.env.LLM_MODEL ? openModels() : async () => script;
const tasks = await createTasks({ toolwright, dataDir, models });
try {
  const { id } = await tasks.start({ task: 'What do tea, milk and bread cost together?' });
  for await (const event of tasks.events(id)) {
    if (event.type === 'text-delta') process.stdout.write(event.text);
    if (event.type === 'code') console.log(`\n--- ${event.language}\n${event.code}\n---`);
    if (event.type === 'tool-call') console.log(`calls ${event.tool}`);
  }
  const task = await tasks.ended(id);
  console.log(`\n${task.status} after ${task.usage.steps} answers, ${task.executions.length} programs`);
  assert.equal(task.status, 'completed');
  if (!process.env.LLM_MODEL)
    assert.equal(task.answer, 'Together they cost 9\nkept: items (array 3), found (array 3).');
} finally {
  await tasks[Symbol.asyncDispose]();
  await toolwright.close();
  await rm(dataDir, { recursive: true, force: true });
}
