import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `await fs.writeFile('/workspace/mine.txt', 'private'); await fs.writeFile('/skills/mine.md', 'private'); return 1`,
  next: "return [...(await fs.readdir('/workspace')), ...(await fs.readdir('/skills'))].join() === '' ? 'clean' : 'seen'",
  badSandbox: 'not-run',
};

export default attack;
