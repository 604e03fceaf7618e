import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUEST_FOLDER } from '@toolwright/sandbox';
import { GUEST_NAMES, parseWithDigits, withDigits } from '@toolwright/sandbox/internal';
import type { ToolwrightError } from '../../errors.ts';
import type { ExportedTest } from './exported.ts';
import { TYPESCRIPT_RUNTIME } from './typescript-runtime.ts';

/** The programs of authors may be JavaScript. */
const UNCHECKED = '// @ts-nocheck';
const MAIN = 'export default async function main() {\n';
const IMPORT = /^import (type )?(?:(.*?) from )?(["'])([^"']+)\3;?$/;
const FILES = /^(?:node:)?fs(?:\/promises)?$/;
/** As in Node, an imported `readFile` returns bytes without an encoding. */
const NODE_FILES = `const __nodeFs = {
  ...__fs,
  readFile: async (path, options) =>
    (typeof options === 'string' ? options : options?.encoding) ? __fs.readFile(path, options) : Buffer.from(await __fs.readFile(path, null)),
};
`;
/** The code that would do something else in a test than in a sandbox. */
const NOT_EXPORTED: readonly (readonly [RegExp, string])[] = [
  [/\bimport\s*\(/, 'it imports modules while it runs'],
  [/\bglobalThis\b/, 'it uses globalThis'],
  [/\b(?:eval|Function)\s*\(/, 'it creates code while it runs'],
  [/\brun_skill\b/, 'it runs skills'],
];

/** The API of programs, by names that the program may use. */
const API = [
  ...GUEST_NAMES.typescript.filter((name) => !['servers', 'run_skill', 'ToolError', 'console'].includes(name)),
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
].join(', ');

/** Returns the text of a vitest file. */
export function typescriptTest(exported: ExportedTest, refuse: (reason: string) => ToolwrightError): string {
  const { executionId, module, requests, modules, outcome, timeMs } = exported;
  const at = module.indexOf(MAIN);
  const imports = module
    .slice(0, at)
    .split('\n')
    .filter((line) => line.startsWith('import '));
  const body = module.slice(at + MAIN.length).replace(/\}\n$/, '');
  for (const [pattern, reason] of NOT_EXPORTED) if (pattern.test(body)) throw refuse(reason);
  const names = [...modules.keys()];
  const usesFiles = requests.some(({ request }) => String(request[0]).startsWith('fs.')) || imports.some(isOfFiles);
  const bindings = imports.map((line) => bindingOf(line, names, refuse));
  return `${UNCHECKED}
// Toolwright exported this test from execution ${executionId}. Its journal answers the tools.
import { ${timeMs === undefined ? '' : 'afterAll, beforeAll, '}expect, test${timeMs === undefined ? '' : ', vi'} } from 'vitest';

${timeMs === undefined ? '' : timeText(timeMs)}/** The program. */
const program = ({ ${API}, fs: __fs }, __imported, servers) => async () => {
${imports.some(isOfFiles) ? NODE_FILES : ''}${bindings.map((line) => `${line}\n`).join('')}${body}};

/** The requests of the program with their answers, in the order in which it received them. */
const RECORDED = ${literal(requests)};

/** The end of the program. */
const EXPECTED = ${literal(expectedOf(exported))};

test('the program makes the recorded calls and has the recorded ${outcome.status === 'failed' ? 'error' : 'result'}', async () => {
  const journal = openJournal();
  const api = createApi(journal.ask);
  const imported = importedModules(api.callMCPTool);
  const outcome = await outcomeOf(program(api, imported, importedServers(api.callMCPTool, imported)));
  expect(journal.calls).toEqual(recordedCalls());
  expect(outcome).toEqual(EXPECTED);
});

${TYPESCRIPT_RUNTIME}
${guestText('details.js')}
${guestText('pii.js')}
${guestText('resources.js')}
${guestText('search.js')}
${usesFiles ? guestText('files.js') : 'const createFiles = () => undefined;\n'}
/** The modules of servers, as the program imported them. */
function importedModules(callMCPTool) {
  const scope = Object.assign(Object.create(globalThis), { callMCPTool });
  return [${names.map((_name, index) => `module${index}(scope)`).join(', ')}];
}

/** The global \`servers\`, with the files of tools and the modules that the program loaded. */
function importedServers(callMCPTool, imported) {
  const paths = ${literal(names)};
  const moduleOf = (path) => imported[paths.indexOf(path)];
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const functionOf = (server, tool) => (...args) => {
    const file = args.length < 2 && isObject(args[0] ?? {}) ? moduleOf(\`/servers/\${server}/\${tool}.js\`) : undefined;
    const call = file?.default ?? moduleOf(\`/servers/\${server}/index.js\`)?.[tool];
    return call ? call(...args) : callMCPTool(\`\${server}__\${tool}\`, ...args);
  };
  const tools = (server) => new Proxy({}, { get: (_target, tool) => functionOf(server, tool) });
  return new Proxy({}, { get: (_target, server) => tools(server) });
}
${names.map((name, index) => moduleText(index, name, modules.get(name) ?? '', refuse)).join('\n')}`;
}

function expectedOf({ outcome, hasOwnMessage }: ExportedTest): unknown {
  if (outcome.status === 'completed') {
    return { status: 'completed', value: outcome.value === undefined ? undefined : parseWithDigits(outcome.value) };
  }
  const { name, message } = outcome.error;
  return { status: 'failed', name, message: hasOwnMessage ? message : undefined };
}

function isOfFiles(line: string): boolean {
  return FILES.test(IMPORT.exec(line)?.[4] ?? '');
}

/** Returns the constants for an import. */
function bindingOf(line: string, names: readonly string[], refuse: (reason: string) => ToolwrightError): string {
  const [, isType, clause = '', , path = ''] = IMPORT.exec(line) ?? [];
  if (isType !== undefined) return '';
  const index = names.findIndex((name) => sameModule(name, path));
  const isFile = FILES.test(path);
  if (index === -1 && !isFile) throw refuse(`it imports ${path}`);
  const from = isFile ? '__nodeFs' : `__imported[${index}]`;
  const [, first = '', named = ''] = /^([^{]*?),?\s*(\{.*\})?$/.exec(clause.trim()) ?? [];
  const constants = [];
  const namespace = /^\*\s*as\s+(\S+)$/.exec(first)?.[1];
  if (namespace !== undefined)
    constants.push(`const ${namespace} = ${isFile ? '{ ...__nodeFs, default: __nodeFs }' : from};`);
  else if (first !== '') constants.push(`const ${first} = ${isFile ? from : `${from}.default`};`);
  const members = named.replace(/\btype\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?/g, '').replace(/([\w$]+)\s+as\s+/g, '$1: ');
  if (named !== '') constants.push(`const ${members} = ${from};`);
  return constants.join(' ');
}

function sameModule(name: string, path: string): boolean {
  const plain = (text: string) => text.replace(/(?:\/index)?(?:\.[jt]s)?$/, '');
  return name === path || plain(name) === plain(path);
}

/** Returns the source of a generated module as a function. */
function moduleText(index: number, name: string, source: string, refuse: (reason: string) => ToolwrightError): string {
  const members: string[] = [];
  const body = source
    .replace(/^export default (async function ([\w$]+))/gm, (_all, head, own) => {
      members.push(`default: ${own}`);
      return head;
    })
    .replace(/^export (async function ([\w$]+))/gm, (_all, head, own) => {
      members.push(own);
      return head;
    })
    .replace(/^export \{([^}]*)\};?$/gm, (_all, list: string) => {
      const names = list
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
      members.push(...names.map((each) => each.replace(/^([\w$]+)\s+as\s+([\w$]+)$/, '$2: $1')));
      return '';
    });
  if (/^\s*(?:export|import)\b/m.test(body)) throw refuse(`it imports ${name}, which has another form`);
  return `
/** ${name} */
function module${index}(globalThis) {
${body.trim()}
return { ${members.join(', ')} };
}`;
}

function timeText(timeMs: number): string {
  return `// The program reads the time: it is the time of its execution.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: ${timeMs} }));
afterAll(() => void vi.useRealTimers());

`;
}

/** Returns a file of the guest runtime itself. */
function guestText(name: string): string {
  const text = readFileSync(join(GUEST_FOLDER, 'javascript/api', name), 'utf8');
  return text.replace(/^export /gm, '');
}

/** Returns JSON data as an expression. */
function literal(value: unknown): string {
  return JSON.stringify(withDigits(value), null, 2).replace(/^(\s*)"__proto__":/gm, '$1["__proto__"]:');
}
