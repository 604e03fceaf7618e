import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `await fs.writeFile('loop.js', "import main from '/program.js'; export default main;");
globalThis.rounds = (globalThis.rounds ?? 0) + 1;
if (globalThis.rounds > 3) return 'enough';
return (await import('/workspace/loop.js')).default();`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
