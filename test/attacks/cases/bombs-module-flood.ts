import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (let i = 0; ; i++) { await fs.writeFile('m' + i + '.js', 'export const x = ' + i); await import('/workspace/m' + i + '.js') }`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
