import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `for (const type of [Object, Array, Function, Promise, Map, Error, String]) { type.prototype.polluted = 1; type.prototype.toJSON = () => 'x'; type.polluted = 1 }
JSON.parse = Object.keys = Array.isArray = () => [];
return 1;`,
  next: "return [({}).polluted, [].polluted, (() => 1).polluted, JSON.stringify({ a: 1 })].join() === ',,,{\"a\":1}' ? 'clean' : 'polluted'",
  badSandbox: 'not-run',
};

export default attack;
