import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `try { return 1 } finally { sleep(20).then(() => fs.writeFile('late', 'x')) }`,
  next: "await sleep(80); return (await fs.exists('/workspace/late')) ? 'late work was done' : 'clean'",
  badSandbox: 'not-run',
};

export default attack;
