import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'end-twice': {
    program: `setTimeout(() => { throw new Error('second') }, 0);
Promise.resolve().then(() => { throw new Error('third') });
return 'first';`,
    judge: ({ result }) =>
      result.status === 'completed' && result.value === 'first' ? undefined : 'another end was taken',
    badSandbox: 'not-run',
  },
  'finalizer-after-end': {
    program: `new FinalizationRegistry(() => callMCPTool('tools__counter')).register({}, 1); globalThis.f = 1; return 1`,
    next: "await sleep(50); return (await callMCPTool('tools__counter')) <= 2 ? 'clean' : 'calls went on'",
    badSandbox: 'not-run',
  },
  'finally-after-end': {
    program: `try { return 1 } finally { sleep(20).then(() => fs.writeFile('late', 'x')) }`,
    next: "await sleep(80); return (await fs.exists('/workspace/late')) ? 'late work was done' : 'clean'",
    badSandbox: 'not-run',
  },
  'interval-after-end': {
    program: `setInterval(() => callMCPTool('tools__counter'), 1); return 1`,
    next: "await sleep(80); return (await callMCPTool('tools__counter')) <= 2 ? 'clean' : 'calls went on'",
    badSandbox: 'not-run',
  },
  'thenable-result': {
    program: `let n = 0; const again = { then(resolve) { if (n++ < 1e9) resolve(again); else resolve(1) } }; return again`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'unawaited-calls': {
    program: `for (let i = 0; i < 30; i++) void callMCPTool('tools__stubborn', { ms: 100 }); return 1`,
    limits: { parallelCalls: 2 },
    badSandbox: 'not-run',
  },
  'unawaited-writes': {
    program: `for (let i = 0; i < 2_000; i++) fs.writeFile('w' + i, 'x'); return 1`,
    badSandbox: 'not-run',
  },
  'work-after-return': {
    program: `(async () => { await sleep(30); await callMCPTool('tools__echo', { value: 1 }); await fs.writeFile('late', 'x') })(); return 1`,
    next: "await sleep(100); return (await fs.exists('/workspace/late')) ? 'late work was done' : 'clean'",
    badSandbox: 'not-run',
  },
};

export default attacks;
