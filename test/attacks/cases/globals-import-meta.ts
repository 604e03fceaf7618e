import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  program: `return [JSON.stringify(import.meta), String(import.meta.url), String(import.meta.dirname), String(import.meta.resolve?.('x'))]`,
  badSandbox: 'not-run',
};

export default attack;
