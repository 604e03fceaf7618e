import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await fs.writeFile('a', 'x'.repeat(4e6)); await Promise.all(Array.from({ length: 300 }, () => fs.readFile('a').then(() => 0)))`,
  limits: { timeoutMs: 1_000 },
  note: 'answers pile up when the guest does not take them',
  badSandbox: 'not-run',
};

export default attack;
