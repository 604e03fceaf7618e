import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'files-of-predecessor': {
    program: `await fs.writeFile('/workspace/mine.txt', 'private'); await fs.writeFile('/skills/mine.md', 'private'); return 1`,
    next: "return [...(await fs.readdir('/workspace')), ...(await fs.readdir('/skills'))].join() === '' ? 'clean' : 'seen'",
    nextOf: 'bystander',
    badSandbox: 'not-run',
  },
  globals: {
    program: `globalThis.kept = 'x'; Object.defineProperty(globalThis, 'fixed', { value: 1, configurable: false }); return 1`,
    next: "return typeof kept + typeof fixed === 'undefined'.repeat(2) ? 'clean' : 'kept'",
    badSandbox: 'not-run',
  },
  'memory-after-bomb': {
    program: `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(65))`,
    limits: { timeoutMs: 800 },
    next: "const b = new Uint8Array(1 << 20); return b.some((byte) => byte !== 0) ? 'dirty' : 'clean'",
    badSandbox: 'not-run',
  },
  'module-state': {
    program: `const tools = await import('./servers/tools/index.js'); try { tools.add.kept = 1; globalThis.callMCPTool.kept = 1; fs.readFile.kept = 1; ToolError.prototype.kept = 1 } catch {}
return 1`,
    next: "const { add } = await import('./servers/tools/index.js'); return add.kept ?? callMCPTool.kept ?? fs.readFile.kept ?? ToolError.prototype.kept ?? 'clean'",
    badSandbox: 'not-run',
  },
  'overridden-api': {
    program: `for (const name of ['callMCPTool', 'fs', 'console', 'Promise', 'JSON', 'Math', 'Date']) try { globalThis[name] = { log() {}, random: () => 4 } } catch {}
return 1`,
    next: "return typeof callMCPTool === 'function' && Math.random() < 1 && Date.now() > 1e12 ? 'clean' : 'kept'",
    badSandbox: 'not-run',
  },
  symbols: {
    program: `Symbol.for('kept').description; globalThis[Symbol.for('kept')] = 1; RegExp.prototype.kept = 1; /(kept)/.exec('kept'); return 1`,
    next: "return globalThis[Symbol.for('kept')] ?? /x/.kept ?? (RegExp.$1 === 'kept' ? 'kept' : 'clean')",
    badSandbox: 'not-run',
  },
  'timer-of-predecessor': {
    program: `setTimeout(() => { globalThis.kept = 1; console.log('from the predecessor') }, 30); return 1`,
    next: "await sleep(80); return globalThis.kept ?? 'clean'",
    badSandbox: 'not-run',
  },
  'victim-values': {
    program: `const texts = [];
for (const tool of await list_mcp_tools()) texts.push(JSON.stringify(tool), await get_mcp_tool_details(tool.name));
texts.push(JSON.stringify(await search_tools('S3cret')), String(await callMCPTool('tools__nothing')));
return texts.join('\\n').slice(0, 30_000);`,
    badSandbox: 'not-run',
  },
};

export default attacks;
