import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `const parts = [];
String.prototype.toJSON = () => 'tools__counter';
JSON.stringify = () => '["call","tools__counter",{}]';
await callMCPTool('tools__text', {}).catch(() => 0);
Object.defineProperty(String.prototype, 'length', { value: 0 });
return callMCPTool('tools__text', {}).catch((error) => error.message);`,
  badSandbox: 'not-run',
};

export default attack;
