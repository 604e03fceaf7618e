import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `await fs.writeFile('a.js', "import { b } from './b.js'; export const a = () => b;");
await fs.writeFile('b.js', "import { a } from './a.js'; export const b = a();");
return import('/workspace/a.js').catch((error) => error.message);`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
