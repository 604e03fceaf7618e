import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `let path = '/workspace'; for (let i = 0; i < 500; i++) { path += '/d'; await fs.mkdir(path) }`,
  limits: { timeoutMs: 1_500 },
  judge: ({ result }) => (result.status === 'completed' ? 'folders may nest without end' : undefined),
  badSandbox: 'not-run',
};

export default attack;
