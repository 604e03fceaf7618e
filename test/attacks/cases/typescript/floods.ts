import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  // Answers accumulate when the guest does not read them.
  'answer-flood': {
    program: `await Promise.all(Array.from({ length: 200 }, () => callMCPTool('tools__big', { bytes: 4e6 }).then(() => 0)))`,
    limits: { timeoutMs: 1_000 },
    badSandbox: 'not-run',
  },
  'call-flood-slow': {
    program: `await Promise.all(Array.from({ length: 5_000 }, () => callMCPTool('tools__stubborn', { ms: 400 })))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'call-flood': {
    program: `for (;;) callMCPTool('tools__counter', {}).catch(() => {})`,
    limits: { timeoutMs: 800, toolCalls: 2_000 },
    badSandbox: 'not-run',
  },
  'error-text': {
    program: `const error = new Error('m'.repeat(2e6)); error.stack = '\\n'.repeat(5e6); error.name = 'n'.repeat(1e6); throw error`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) => (JSON.stringify(result).length > 50_000 ? 'the error is not bounded' : undefined),
    badSandbox: 'not-run',
  },
  'file-bytes': {
    program: `for (let i = 0; i < 1_000; i++) await fs.appendFile('f', 'x'.repeat(1e5))`,
    limits: { timeoutMs: 1_500, workspaceBytes: 1_000_000 },
    judge: ({ result }) => (result.status === 'completed' ? 'the bytes of files are not limited' : undefined),
    badSandbox: 'not-run',
  },
  'file-count': {
    program: `for (let i = 0; i < 50_000; i++) await fs.writeFile('f' + i, '')`,
    limits: { timeoutMs: 1_500, workspaceFiles: 200 },
    judge: ({ result }) => (result.status === 'completed' ? 'the number of files is not limited' : undefined),
    badSandbox: 'not-run',
  },
  'file-quota-race': {
    program: `await fs.writeFile('a', 'x'.repeat(900_000)); for (let i = 0; i < 5; i++) { await Promise.allSettled(Array.from({ length: 30 }, () => fs.writeFile('a', ''))); await fs.writeFile('a', 'x'.repeat(500_000)); await fs.writeFile('b' + i, 'x'.repeat(400_000)) }`,
    limits: { timeoutMs: 2_000, workspaceBytes: 1_000_000 },
    judge: ({ result }) => (result.status === 'completed' ? 'the quota was outrun' : undefined),
    badSandbox: 'not-run',
  },
  'folder-depth': {
    program: `let path = '/workspace'; for (let i = 0; i < 500; i++) { path += '/d'; await fs.mkdir(path) }`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) => (result.status === 'completed' ? 'folders may nest without end' : undefined),
    badSandbox: 'not-run',
  },
  'log-flood-empty': {
    program: `for (;;) console.log('')`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'log-flood': {
    program: `for (;;) console.log('x'.repeat(1_000))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'log-huge': {
    program: `console.log('y'.repeat(2e7)); console.log(...Array(1e5).fill('z'))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'module-flood': {
    program: `for (let i = 0; ; i++) { await fs.writeFile('m' + i + '.js', 'export const x = ' + i); await import('/workspace/m' + i + '.js') }`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'progress-flood': {
    program: `for (;;) progress({ a: 'x'.repeat(10_000) })`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  // Answers accumulate when the guest does not read them.
  'read-flood': {
    program: `await fs.writeFile('a', 'x'.repeat(4e6)); await Promise.all(Array.from({ length: 300 }, () => fs.readFile('a').then(() => 0)))`,
    limits: { timeoutMs: 1_000 },
    badSandbox: 'not-run',
  },
  'search-flood': {
    program: `await Promise.all(Array.from({ length: 15_000 }, () => search_tools('add two numbers together')))`,
    limits: { timeoutMs: 1_500 },
    badSandbox: 'not-run',
  },
  'search-long': {
    program: `await search_tools('add numbers '.repeat(1e5)).catch(() => 0); await search_tools(Array(1e5).fill('add')).catch(() => 0); await get_mcp_tool_details('tools__' + 'a'.repeat(5e6)).catch(() => 0); await callMCPTool('x'.repeat(5e6), {}).catch(() => 0)`,
    limits: { timeoutMs: 2_000 },
    badSandbox: 'not-run',
  },
  'timer-flood': {
    program: `for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1); await sleep(60_000)`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  // Counting tokens takes time proportional to the square of a run of one letter.
  'token-counting': {
    program: `console.log('-'.repeat(60_000)); return 'y'.repeat(30_000)`,
    limits: { timeoutMs: 1_000 },
    badSandbox: 'not-run',
  },
  'look-ups': {
    program: `const asked = [];
for (let i = 0; i < 5_000; i++) asked.push(load_skill('x' + i), get_mcp_tool_details('tols__ech' + i), list_mcp_tools());
await Promise.allSettled(asked);`,
    limits: { timeoutMs: 1_500 },
    badSandbox: 'not-run',
  },
  'path-of-many-parts': {
    program: `const path = 'a/'.repeat(4e6);
await Promise.allSettled([fs.stat(path), fs.readdir(path), fs.rename(path, path), import('/workspace/' + path)]);`,
    badSandbox: 'not-run',
  },
  'values-in-number': {
    program: `const values = Array.from({ length: 1e6 }, () => ({}));
for (let i = 0; i < 10; i++) { progress(values); await callMCPTool('tools__echo', { value: values }).catch(() => 0) }`,
    badSandbox: 'not-run',
  },
};

export default attacks;
