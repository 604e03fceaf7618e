import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

/** A title of a window, a C1 sequence, an override and marks of the direction, invisible characters, and a line that is overwritten. */
const HOSTILE = 'x\u001b]0;owned\u0007\u009b2J\u202egpj\u2066\u200e\u061c\u200b\u200d\ufeff\u{e0041}\r\u007fy';
const RAW = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u200b-\u200d\u2060\ufeff]|[\u{e0000}-\u{e007f}]/u;

/** A server whose texts are all hostile. */
const SERVER = `
import { createInterface } from 'node:readline';
const text = ${JSON.stringify(HOSTILE)};
process.stderr.write(text + '\\n');
const tool = (name, more) => ({ name, title: text, description: text, inputSchema: { type: 'object', properties: { [text]: { type: 'string', description: text } } }, ...more });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: text, version: text }, instructions: text }),
  'tools/list': () => ({ tools: [tool('good'), tool('fails'), tool(text), tool('broken' + text, { inputSchema: { type: text } })] }),
  'tools/call': ({ name }) => ({ isError: name === 'fails', content: [{ type: 'text', text }] }),
  'resources/list': () => ({ resources: [{ uri: 'a://b', name: text, description: text, mimeType: text }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a://{x}', name: text }] }),
  'resources/read': () => ({ contents: [{ uri: 'a://b', text }] }),
  'prompts/list': () => ({ prompts: [{ name: text, description: text }, { name: 'ask', description: text }] }),
  'prompts/get': () => ({ description: text, messages: [{ role: 'user', content: { type: 'text', text } }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: text } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n');
}
`;

const desk = openDesk();
const entry = (mode: string) => ({ command: process.execPath, args: [desk.write('server.mjs', SERVER), mode] });
desk.write('toolwright.json', {
  mcpServers: {
    evil: entry('a'),
    [HOSTILE]: entry('b'),
    dead: { command: process.execPath, args: ['-e', `throw ${JSON.stringify(HOSTILE)}`] },
  },
  policy: { rules: [{ tools: 'evil__good', action: 'ask' }] },
});
desk.write('hostile.txt', `${HOSTILE} ann@example.com`);
mkdirSync(join(desk.folder, '.cursor'));
desk.write('.cursor/mcp.json', { mcpServers: { [`from ${HOSTILE}`]: { command: HOSTILE, args: [HOSTILE] } } });
// Lines of the log of every level are written too.
Object.assign(desk.env, { TOOLWRIGHT_LOG: 'debug' });

const literal = JSON.stringify(HOSTILE);
const COMMANDS: readonly (readonly string[])[] = [
  ['run', '-e', `console.log(${literal}); console.error(${literal}); return ${literal}`],
  ['run', '-e', `console.log(${literal}); return { [${literal}]: [${literal}] }`],
  ['run', '-e', `throw Object.assign(new Error(${literal}), { name: ${literal} })`],
  ['run', '-e', `return callMCPTool('evil__fails', {})`],
  ['run', '-e', `return callMCPTool('evil__good', { [${literal}]: ${literal} })`],
  ['run', '-e', `return callMCPTool('evil__good', { a: ${literal} })`, '--dry-run'],
  ['run', '--language', 'python', '-e', `print(${literal})\nraise ValueError(${literal})`],
  ['run', '-e', `// ${HOSTILE}\nreturn ${literal} +`],
  ['run', HOSTILE],
  [HOSTILE],
  ['tools'],
  ['tools', HOSTILE],
  ['tools', 'show', 'evil__good'],
  ['tools', 'show', HOSTILE],
  ['tools', 'pins'],
  ['resources'],
  ['resources', 'read', 'evil', 'a://b'],
  ['prompts'],
  ['prompts', 'get', 'evil', 'ask'],
  ['servers'],
  ['servers', 'import'],
  ['servers', 'remove', HOSTILE + HOSTILE],
  ['policy', 'explain', `evil__${HOSTILE}`],
  ['pii', 'scan', 'hostile.txt'],
  ['executions', 'show', HOSTILE],
  ['sessions', 'show', HOSTILE],
  ['skills', 'check', HOSTILE],
  ['keys', 'revoke', HOSTILE],
  ['n8n', 'validate', HOSTILE],
  ['doctor'],
];

/** Runs a command with one output as a file and the other as a pipe, in turns. */
async function outputsOf(number: number, args: readonly string[]): Promise<{ file: string; pipe: string }> {
  const path = join(desk.folder, `${number}.txt`);
  const file = openSync(path, 'w');
  const [out, err] = number % 2 === 0 ? (['pipe', file] as const) : ([file, 'pipe'] as const);
  const child = spawn(process.execPath, [desk.cli, ...args], {
    cwd: desk.folder,
    env: desk.env,
    stdio: ['ignore', out, err],
  });
  const ended = once(child, 'close');
  const pipe = await text((child.stdout ?? child.stderr) as Readable);
  await ended;
  closeSync(file);
  return { file: readFileSync(path, 'utf8'), pipe };
}

/** The commands whose output has the hostile texts. */
const shown = new Set<string>();

describe.concurrent('output that is no terminal has no raw sequences of others', () => {
  for (const [number, args] of COMMANDS.entries()) {
    test(`${number}: ${JSON.stringify(args)}`, async () => {
      const { file, pipe } = await outputsOf(number, args);
      if ((file + pipe).includes('\\u001b')) shown.add(args[0] === HOSTILE ? 'unknown' : String(args[0]));
      expect(file).not.toMatch(RAW);
      expect(pipe).not.toMatch(RAW);
    });
  }

  test('--json is exact', async () => {
    const { out } = await desk.run(['run', '--json', '-e', `console.log(${literal}); return ${literal}`]);
    expect(out).not.toMatch(RAW);
    expect(JSON.parse(out)).toMatchObject({ value: HOSTILE, logs: [{ text: HOSTILE }] });
  });
});

test('commands show texts of others', () => {
  expect([...shown]).toEqual(
    expect.arrayContaining(['run', 'tools', 'resources', 'prompts', 'servers', 'executions', 'n8n', 'unknown']),
  );
});

test('a value keeps its line breaks, and joined characters that a reader sees', async () => {
  const value = 'a;b\r\nc;\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\r\n';
  expect((await desk.run(['run', '-e', `return ${JSON.stringify(value)}`])).out).toBe(`${value}\n`);
});
