import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `const original = Array.prototype;
const results = [];
for (const text of ['["call","tools__add",{"a":1,"b":2},{"signal":1}]', '["fs.readText",{"a":1}]', '["module","/etc/passwd"]', '["module","../../etc/passwd"]', '["sleep",-1]', '["sleep","x"]', '["list",{}]', '["details",[]]', '["search",[[]],[]]', '["call",{},{}]', '["call","tools__add",[]]', '{"0":"call"}', '"call"', 'null', '5'])
  { const value = JSON.parse(text); Array.prototype.toJSON = () => value; results.push(await search_tools('x').then(() => 'fine', (error) => error.message)); delete Array.prototype.toJSON }
return results;`,
  judge: ({ result }) => (/root:/.test(JSON.stringify(result)) ? 'a file of the host was read' : undefined),
  badSandbox: 'not-run',
};

export default attack;
