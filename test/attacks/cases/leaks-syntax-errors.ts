import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const seen = [];
await fs.writeFile('bad.ts', 'const a: = 1');
await fs.writeFile('bad.js', 'const a = ;');
for (const path of ['/workspace/bad.ts', '/workspace/bad.js']) try { await import(path) } catch (error) { seen.push(error.message, error.stack) }
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
