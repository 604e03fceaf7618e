import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await fs.writeFile('m.ts', '('.repeat(400_000)); await import('/workspace/m.ts').catch(() => 0); await fs.writeFile('n.ts', 'export const n: number = 1'); return (await import('/workspace/n.ts')).n`,
  limits: { timeoutMs: 3_000 },
  judge: ({ result }) => (result.status === 'completed' ? undefined : 'the compiler is gone'),
  badSandbox: 'not-run',
};

export default attack;
