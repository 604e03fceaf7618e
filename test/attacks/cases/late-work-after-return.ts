import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `(async () => { await sleep(30); await callMCPTool('tools__echo', { value: 1 }); await fs.writeFile('late', 'x') })(); return 1`,
  next: "await sleep(100); return (await fs.exists('/workspace/late')) ? 'late work was done' : 'clean'",
  badSandbox: 'not-run',
};

export default attack;
