// Records many programs, and replays each one from its journal.
import { join } from 'node:path';
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { seededRandom } from '../tokens/random.mjs';

const AT_ONCE = 4;
const PROGRESS_EVERY = 500;
/** One of so many programs is in Python, and one of so many runs in the jail, in either language: their guests start slowly. */
const PYTHON_EVERY = 20;
const JAIL_EVERY = 50;

const tools = {
  bench: {
    tools: {
      look: {
        description: 'Reads',
        inputSchema: { type: 'object' },
        run: async ({ n, ms = 0 }) => {
          if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
          return { n, at: Date.now(), mail: `user${n}@example.com` };
        },
      },
      fail: {
        description: 'Fails',
        inputSchema: { type: 'object' },
        run: async ({ n }) => {
          throw new Error(`no row ${n}`);
        },
      },
    },
  },
};

/** Programs whose requests depend on the answers, their order, the clock, randomness and files. */
const PROGRAMS = {
  typescript: [
    (n) => `return (await callMCPTool('bench__look', { n: ${n} })).n * 2`,
    (
      n,
    ) => `const rows = await Promise.all([...Array(8).keys()].map((i) => callMCPTool('bench__look', { n: i, ms: (i * ${n}) % 7 })));
return rows.map(({ mail }) => mail)`,
    (n) =>
      `const order = []; await Promise.all([3, 1, 2].map(async (i) => { await callMCPTool('bench__look', { n: i, ms: i * ${n % 4} }); order.push(i); })); return order`,
    () => `return [Math.random(), crypto.randomUUID(), Date.now(), performance.now(), new Date().toISOString()]`,
    (n) => `try { await callMCPTool('bench__fail', { n: ${n} }) } catch ({ code, message }) { return [code, message] }`,
    (n) =>
      `await fs.writeFile('a.txt', '${n}'); await fs.appendFile('a.txt', 'x'); return [await fs.readFile('a.txt'), await fs.readdir('.')]`,
    (n) =>
      `const hits = await search_tools('look ${n}'); console.log(hits.length); return (await list_mcp_tools()).length`,
    (n) =>
      `const first = await Promise.race([callMCPTool('bench__look', { n: 1, ms: ${n % 3} }), callMCPTool('bench__look', { n: 2, ms: 1 })]); await sleep(${n % 3}); return first.n`,
    (n) =>
      `import { look } from './servers/bench/index.js'; const { look: later } = await import('./servers/bench/index.js'); return [(await look({ n: ${n} })).n, typeof later]`,
    () => `const { mail } = await callMCPTool('bench__look', { n: 1 }); return pii.derive(mail, 'domain')`,
    (n) =>
      `let sum = 0; for (let i = 0; i < 20; i++) sum += (await callMCPTool('bench__look', { n: i })).n; if (${n % 5} === 0) throw new RangeError('at ' + sum); return sum`,
    (n) =>
      `const seen = []; const id = setInterval(() => seen.push(seen.length), 1); await callMCPTool('bench__look', { n: ${n}, ms: 5 }); clearInterval(id); return seen.length >= 0 && Date.now() > 0`,
  ],
  python: [
    (n) => `(await call_mcp_tool("bench__look", {"n": ${n}}))["n"] * 2`,
    (n) =>
      `import asyncio\nrows = await asyncio.gather(*[call_mcp_tool("bench__look", {"n": i, "ms": (i * ${n}) % 7}) for i in range(8)])\n[row["mail"] for row in rows]`,
    () =>
      'import random, time, uuid, datetime\n[random.random(), str(uuid.uuid4()), time.time(), time.monotonic(), str(datetime.datetime.now())]',
    (n) =>
      `try:\n    await call_mcp_tool("bench__fail", {"n": ${n}})\nexcept ToolError as error:\n    result = [error.code, str(error)]`,
    (n) => `write_file("a.txt", "${n}")\nprint(list_files("."))\nread_file("a.txt")`,
    () =>
      'import asyncio\nasync def one(i):\n    await asyncio.sleep(i / 1000)\n    return i\n[await each for each in asyncio.as_completed([one(i) for i in (3, 1, 2)])]',
    () => 'len({"b", "a", "c"}) and list({"b", "a", "c"})',
  ],
};

/** Returns the number of replays, and the first of those that differ. */
export async function measureReplays(folder, { executions = 10_000, seed = 1 } = {}) {
  const random = seededRandom(seed);
  const toolwrights = {};
  for (const sandbox of ['quickjs', 'pyodide', 'jail']) {
    toolwrights[sandbox] = await createToolwright({ dataDir: join(folder, sandbox), tools, sandbox, check: false });
  }
  const found = { executions: 0, requests: 0, different: 0, bySandbox: {}, first: undefined };
  const one = async (index) => {
    const language = index % PYTHON_EVERY === 0 ? 'python' : 'typescript';
    const sandbox = index % JAIL_EVERY < 2 ? 'jail' : language === 'python' ? 'pyodide' : 'quickjs';
    const code = random.pick(PROGRAMS[language])(random.whole(1, 1_000));
    const toolwright = toolwrights[sandbox];
    const { executionId } = await toolwright.execute(code, { language });
    const { status, requests, difference } = await toolwright.executions.replay(executionId);
    found.executions++;
    if (found.executions % PROGRESS_EVERY === 0)
      console.error(`${found.executions} executions, ${found.different} differ`);
    found.requests += requests;
    found.bySandbox[sandbox] = (found.bySandbox[sandbox] ?? 0) + 1;
    if (status === 'identical') return;
    found.different++;
    found.first ??= { code, sandbox, difference };
  };
  let next = 0;
  const work = async () => {
    while (next < executions) await one(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const toolwright of Object.values(toolwrights)) await toolwright.close();
  return found;
}
