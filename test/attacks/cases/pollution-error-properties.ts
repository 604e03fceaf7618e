import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `const error = new Error('x');
Object.defineProperty(error, '__proto__', { value: { polluted: 1 }, enumerable: true });
error.name = '__proto__'; error.code = 'constructor'; error.cause = JSON.parse('{"__proto__":{"polluted":1}}');
throw error;`,
  badSandbox: 'not-run',
};

export default attack;
