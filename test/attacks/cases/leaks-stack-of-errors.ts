import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const stacks = [new Error('x').stack];
for (const work of [() => callMCPTool('tools__fail', {}), () => callMCPTool('tools__defect'), () => fs.readFile('/x/y'), () => import('nowhere'), () => callMCPTool('nope'), () => search_tools(5), () => JSON.parse('{')])
  try { await work() } catch (error) { stacks.push(error.stack, error.message, JSON.stringify(error.details)) }
return stacks;`,
  badSandbox: 'caught',
};

export default attack;
