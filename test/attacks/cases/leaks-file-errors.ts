import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const seen = [];
for (const work of [() => fs.readFile('missing'), () => fs.writeFile('a/b/c', ''), () => fs.readdir('nope'), () => fs.rename('a', 'b'), () => fs.rmdir('nope'), () => fs.mkdir('/workspace'), () => fs.stat('x/../y'), () => fs.writeFile('\\ud800/\\u0001', ''), () => fs.mkdir('é'.repeat(120)).then(() => fs.mkdir('é'.repeat(120)))])
  try { await work() } catch (error) { seen.push(error.message, error.stack, error.code) }
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
