import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `return (await import('data:text/javascript,export default [typeof process, globalThis.process && JSON.stringify(process.env)]')).default`,
  badSandbox: 'caught',
};

export default attack;
