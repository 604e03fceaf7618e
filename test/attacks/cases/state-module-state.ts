import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `const tools = await import('./servers/tools/index.js'); try { tools.add.kept = 1; globalThis.callMCPTool.kept = 1; fs.readFile.kept = 1; ToolError.prototype.kept = 1 } catch {}
return 1`,
  next: "const { add } = await import('./servers/tools/index.js'); return add.kept ?? callMCPTool.kept ?? fs.readFile.kept ?? ToolError.prototype.kept ?? 'clean'",
  badSandbox: 'not-run',
};

export default attack;
