import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `for (const name of ['a'.repeat(5_000), 'a/'.repeat(5_000), '../'.repeat(5_000) + 'x', 'é'.repeat(200), '/workspace/' + 'a'.repeat(1e6)])
  for (const work of ['readFile', 'writeFile', 'mkdir', 'stat', 'rm', 'readdir']) await fs[work](name, { recursive: true }).catch(() => 0);`,
  badSandbox: 'not-run',
};

export default attack;
