import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const p = new Proxy({}, { get: () => p, has: () => true, ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: p, enumerable: true, configurable: true }) }); console.log(p); return p`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
