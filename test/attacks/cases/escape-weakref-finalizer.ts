import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `const seen = [];
const registry = new FinalizationRegistry((held) => seen.push(held.constructor.constructor('return typeof process')()));
for (let i = 0; i < 1000; i++) registry.register({}, {});
await sleep(50);
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
