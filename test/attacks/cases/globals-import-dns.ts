import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  program: `const dns = await import('node:dns');
return new Promise((resolve) => dns.lookup('localhost', (error, address) => resolve(address)));`,
  badSandbox: 'not-run',
};

export default attack;
