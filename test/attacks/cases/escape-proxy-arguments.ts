import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `const seen = [];
const trap = new Proxy(function () {}, {
  get(target, key, receiver) { seen.push(String(key)); return key === Symbol.toPrimitive ? () => 'tools__text' : trap },
  apply(target, self, args) { seen.push(String(args.map((arg) => arg?.constructor?.constructor('return typeof process')()))); return trap },
  ownKeys() { return [] },
});
for (const call of [() => callMCPTool(trap, trap), () => callMCPTool('tools__echo', trap), () => fs.readFile(trap), () => search_tools(trap, trap), () => console.log(trap), () => progress(trap)]) {
  try { await call() } catch (error) { seen.push(error.message) }
}
return seen.slice(0, 50);`,
  badSandbox: 'not-run',
};

export default attack;
