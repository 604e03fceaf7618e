// Checks one client: `node check.mjs CLIENT COMMAND ARGUMENT…`. Prints its row of the table as JSON.
import { strict as assert } from 'node:assert';

const [name, command, ...args] = process.argv.slice(2);
/** Characters that a client may add to a text. */
const MAX_ADDED = 100;

const { open } = await import(`./${name}.mjs`);
const client = await open({ command, args, cwd: process.cwd() });
const run = (code) => client.call('execute_code', { code });
const names = await client.names();
for (const tool of ['execute_code', 'search_tools']) assert(names.includes(tool), `no ${tool}`);

const found = await client.call('search_tools', { query: 'add two numbers' });
assert.match(found.text, /everything__get-sum/);
const sum = await run('return callMCPTool("everything__get-sum", { a: 20, b: 22 })');
assert.match(sum.text, /42/);
const one = await run('return 1');
assert.match(one.text, /\b1\b/);
assert(one.text.length <= 1 + MAX_ADDED, `"return 1" costs the model ${one.text.length} characters: ${one.text}`);
const wrong = await run('return callMCPTool("everything__get-sm", {})');
assert.match(wrong.text, /Did you mean everything__get-sum/);
const picture = await run('return callMCPTool("everything__get-tiny-image", {})');
const isShown = picture.images.includes('image/png');
// A client that knows no images shows its model the block as text.
if (isShown) assert.doesNotMatch(picture.text, /[\w+/]{200}/);

await client.close();
const row = { client: name, tools: names.length, characters: one.text.length, error: wrong.text.length, isShown };
process.stdout.write(`${JSON.stringify(row)}\n`, () => process.exit());
