import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `const seen = [];
for (const args of [new Proxy({}, { ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 1 }), { toJSON: () => 'text' }, { toJSON: () => null }, { toJSON: () => undefined }, { toJSON: () => [1] }, new Map([['a', 1]]), new Date(), /x/, new (class A { a = 1; b = 2 })()])
  seen.push(await callMCPTool('tools__add', args).catch((error) => error.code ?? error.name));
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
