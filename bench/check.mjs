// node bench/check.mjs: measures the first and the following checks of programs, and how long they block the host.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { childMemory, percentiles, round, time } from './measure.mjs';

const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const inputSchema = {
  type: 'object',
  properties: { owner: { type: 'string' }, repo: { type: 'string' }, state: { enum: ['open', 'closed'] } },
  required: ['owner', 'repo'],
};
const outputSchema = { type: 'object', properties: { titles: { type: 'array', items: { type: 'string' } } } };
const tool = { inputSchema, outputSchema, run: () => ({ titles: [] }) };
/** The number of tools of a large server. */
const tools = {
  github: { tools: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`list_${index}`, tool])) },
};
const PROGRAMS = {
  callByName: (n) =>
    `const r = await callMCPTool('github__list_7', { owner: 'o', repo: 'r' });\nreturn r.titles[${n}];`,
  importedServer: (n) =>
    `import * as github from './servers/github/index.js';\nconst r: any = await github.list7({ owner: 'o', repo: 'r' });\nreturn r.titles[${n}];`,
  wrong: (n) => `await callMCPTool('github__list_7', { owner: 'o', repos: ${n} });`,
};

const toolwright = await createToolwright({ dataDir: state, sandbox: 'quickjs', tools });
const report = { coldMs: round(await time(() => toolwright.check(PROGRAMS.callByName(0)))), warmMs: {} };
let longest = 0;
let last = performance.now();
const ticking = setInterval(() => {
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
}, 1);
for (const [name, program] of Object.entries(PROGRAMS)) {
  for (let index = 0; index < 10; index++) await toolwright.check(program(index));
  const samples = [];
  for (let index = 10; index < 110; index++) samples.push(await time(() => toolwright.check(program(index))));
  report.warmMs[name] = percentiles(samples);
}
clearInterval(ticking);
console.log(JSON.stringify({ ...report, longestBlockMs: round(longest), compilerMb: childMemory('--api') }, null, 2));
await toolwright.close();
rmSync(state, { recursive: true, force: true });
