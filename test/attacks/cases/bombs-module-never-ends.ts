import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await fs.writeFile('m.js', 'await new Promise(() => {})'); await import('/workspace/m.js')`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
