import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `const seen = [];
for (const path of ['./servers/tools/index.js?x=1', './servers/tools/index.js#x', './servers/tools/../odd/index.js', './servers/__proto__/index.js', './servers/constructor/index.js', './servers//index.js', './servers/tools/index.js/../../../../etc/passwd', './servers/%2e%2e/index.js'])
  try { seen.push(Object.keys(await import(path)).length) } catch (error) { seen.push(error.message.slice(0, 80)) }
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
