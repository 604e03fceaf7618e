import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `class Mine extends Promise { static get [Symbol.species]() { return function (executor) { executor(() => {}, () => {}); this.taken = executor } } }
Object.defineProperty(Promise, Symbol.species, { value: Mine });
Array[Symbol.species] = Mine;
const seen = [];
Promise.prototype.then = function (...parts) { seen.push(parts.map((part) => String(part?.constructor?.constructor('return typeof process')()))); };
callMCPTool('tools__text');
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
