/** A program of a newcomer with a mistake: the cause and the fix that its answer must have. */
export type ProgramMistake = readonly [source: string, cause: string, fix: string];

const READ = `callMCPTool('everything__read_note', { name: 'a' })`;

/** Programs in TypeScript. */
export const TYPESCRIPT: readonly ProgramMistake[] = [
  // No value.
  ['async function main() {\n  console.log("hi");\n}', 'main is never called', 'return await main()'],
  ['', 'returned nothing', 'return value'],
  [`const note = await ${READ};`, 'returned nothing', 'return value'],
  ['export async function run() {\n  return 1;\n}', 'run is never called', 'return await run()'],
  ['setTimeout(() => console.log("late"), 500);\nreturn 1;', '1 timer was pending', 'await sleep(milliseconds)'],
  // No await.
  [`const note = ${READ};\nreturn note.text;`, "'.text' is read from a Promise", 'Write await before the call'],
  [`${READ};\nreturn 1;`, 'the call is not awaited', 'Write await before the call'],
  [`[1, 2].forEach(async () => { await ${READ}; });\nreturn 1;`, 'forEach', 'for (const'],
  [`return [1, 2].map(async () => await ${READ});`, 'a list of Promises', 'Promise.all'],
  [`return ${READ}.then((note) => note.txt.length);`, 'txt', 'text'],
  // Names of tools.
  [`return await callMCPTool('everything__get-smu', { a: 1, b: 2 });`, 'get-smu', 'everything__get-sum'],
  [`return await callMCPTool('get-sum', { a: 1, b: 2 });`, 'get-sum', 'everything__get-sum'],
  [`return await callMCPTool('everything', 'get-sum', { a: 1, b: 2 });`, 'everything', 'everything__get-sum'],
  [`return await servers.everything.getSumm({ a: 1, b: 2 });`, 'getSumm', 'getSum'],
  [`return await servers.everithing.getSum({ a: 1, b: 2 });`, 'everithing', 'everything'],
  [`return await mcp.everything.getSum({ a: 1, b: 2 });`, 'mcp', 'everything__get-sum'],
  [`return await callTool('everything__get-sum', { a: 1, b: 2 });`, 'callTool', 'callMCPTool'],
  [
    `import { getSum } from 'everything';\nreturn await getSum({ a: 1, b: 2 });`,
    "no module 'everything'",
    './servers/everything/index.js',
  ],
  [`return await callMCPTool('memory__create_entities', {});`, 'memory__create_entities', 'search_tools('],
  // Arguments and results.
  [`return await callMCPTool('everything__get-sum', { x: 1, b: 2 });`, 'x', 'a: number'],
  [`return await callMCPTool('everything__get-sum', 1, 2);`, 'object', 'a: number'],
  [`return await callMCPTool('everything__get-sum', { a: '1', b: 2 });`, 'a', 'number'],
  [`return await callMCPTool('everything__get-sum');`, 'a', 'b: number'],
  [`const note = await ${READ};\nreturn note.content[0].text;`, 'content', 'text'],
  [`const { body } = await ${READ};\nreturn body.length;`, 'body', 'text'],
  [`return await callMCPTool('everything__read_note', { name: 'missing' });`, 'no note "missing"', 'list_notes'],
  // The machine of the newcomer.
  ['return await fetch("http://localhost:3000/health");', "'fetch' is not defined", 'callMCPTool(name, args)'],
  ['return process.env.HOME;', "'process' is not defined", 'into its text'],
  [
    'return require("node:child_process").execSync("ls").toString();',
    "'require' is not defined",
    'Import tools from ./servers/',
  ],
  ['return await fs.readFile("/etc/passwd", "utf8");', '/etc/passwd', 'call a tool of a server'],
  ['return await fs.readFile("a.txt", "utf8");', 'a.txt', 'call a tool of a server'],
  ['import axios from "axios";\nreturn axios.get("http://x");', 'axios', 'tool'],
  ['return document.title;', "'document' is not defined", 'tool'],
  ['return localStorage.getItem("a");', "'localStorage' is not defined", '/workspace'],
  ['return __dirname;', "'__dirname' is not defined", '/workspace'],
  // The language.
  ['return t;', "'t' is not defined", 'Declare t in this program'],
  ['def add(a, b):\n    return a + b', 'This looks like Python', 'set language to "python"'],
  ['while (true) {}', 'ran longer than', 'Do less per execution'],
  ['return new Array(1e9).fill("x");', 'more than 134217728 bytes of memory', 'smaller parts'],
  ['const a = {};\na.a = a;\nreturn a;', 'circular reference', 'Return plain data'],
];

/** Programs in Python. */
export const PYTHON: readonly ProgramMistake[] = [
  ['return open("/etc/passwd").read()', '/etc/passwd', '/workspace'],
  ['import os\nreturn os.environ["HOMEDRIVE"]', 'HOMEDRIVE', 'into its text'],
  ['import subprocess\nreturn subprocess.run(["ls"]).stdout', "No such file or directory: 'ls'", 'no programs'],
  [
    'import requests\nreturn requests.get("http://localhost").text',
    "No module named 'requests'",
    'call_mcp_tool(name, args)',
  ],
  ['return callMCPTool("everything__get-sum", {"a": 1, "b": 2})', 'callMCPTool', 'call_mcp_tool'],
  [
    'note = call_mcp_tool("everything__read_note", {"name": "a"})\nreturn note["text"]',
    'has not arrived yet',
    'Await it',
  ],
  ['note = await call_mcp_tool("everything__read_note", {"name": "a"})', 'returned nothing', 'result = value'],
  ['async def main():\n    return 1', "'main' is never called", 'await main()'],
];
