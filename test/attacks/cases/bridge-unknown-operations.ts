import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `Array.prototype.toJSON = function () { return forged };
const ask = (request) => { forged = request; return search_tools('x').catch((error) => error.message) };
let forged;

const seen = [];
for (const operation of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'eval', 'exit', 'run', 'close', '', 0, null, {}, ['call']]) seen.push(await ask({ 0: operation, length: 1 }));
return seen.length;`,
  badSandbox: 'not-run',
};

export default attack;
