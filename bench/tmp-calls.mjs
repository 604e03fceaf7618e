import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const [sandbox = 'jail', n = '1000', rounds = '8', pii = 'on'] = process.argv.slice(2);
const tools = {
  own: {
    tools: {
      echo: {
        description: 'x',
        inputSchema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
        run: async ({ value }) => ({ value }),
      },
    },
  },
};
const tw = await createToolwright({
  dataDir: mkdtempSync(join(tmpdir(), 'tw-')),
  sandbox,
  tools,
  limits: { toolCalls: 5000 },
  ...(pii === 'off' ? { pii: { mode: 'off' } } : {}),
});
const code = `const t = Date.now(); for (let i = 0; i < ${n}; i++) await callMCPTool('own__echo', { value: 'hello ' + i }); return Date.now() - t`;
const par = `const t = Date.now(); await Promise.all(Array.from({length:500}, (_, i) => callMCPTool('own__echo', { value: 'hello ' + i }))); return Date.now() - t`;
const out = [],
  outp = [],
  cpu = [];
for (let r = 0; r < Number(rounds); r++) {
  const c0 = process.cpuUsage();
  const x = await tw.execute(code, { limits: { timeoutMs: 60000 } });
  if (x.status !== 'completed') console.log(JSON.stringify(x).slice(0, 500));
  out.push(x.value);
  const c1 = process.cpuUsage(c0);
  cpu.push(Math.round((c1.user + c1.system) / n));
  await new Promise((s) => setTimeout(s, 200));
  const y = await tw.execute(par);
  outp.push(y.value);
  await new Promise((s) => setTimeout(s, 200));
}
console.log(
  'us/call',
  out.map((x) => Math.round((x * 1000) / n)).join(' '),
  '| host cpu us/call ',
  cpu.join(' '),
  '| 500 parallel ms',
  outp.join(' '),
);
await tw.close();
