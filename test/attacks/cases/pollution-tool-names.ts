import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'tools____proto__', '__proto____x', 'constructor__prototype', 'tools__constructor', 'toString', ''])
  await callMCPTool(name, { polluted: 1 }).catch(() => 0);
await callMCPTool('odd____proto__', { x: 1 });
return search_tools('__proto__', { server: '__proto__' }).catch((error) => error.message);`,
  badSandbox: 'not-run',
};

export default attack;
