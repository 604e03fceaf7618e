import { chmodSync, lstatSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { editFile, readServerEntries, withChangedServer, withoutServer, withServer } from './edit.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-'));
const FILE = join(folder, 'toolwright.json');
const TEXT = `{
\t// The servers of the team
\t"mcpServers": {
\t\t"a": { "command": "a" }, // keep
\t\t/* b is new */
\t\t"b": { "url": "https://b.example" },
\t},
\t"limits": { "toolCalls": 5 },
}
`;

it('adds and removes a server, and keeps comments and format', () => {
  const added = withServer(FILE, TEXT, 'c', { command: 'c', args: ['-x'] });
  expect(added).toContain('\t// The servers of the team\n\t"mcpServers": {\n\t\t"a": { "command": "a" }, // keep');
  expect(added).toContain('\t\t"c": {\n\t\t\t"command": "c",');
  expect([...readServerEntries(FILE, added)].map(([name]) => name)).toEqual(['a', 'b', 'c']);
  const removed = withoutServer(FILE, TEXT, 'a') ?? '';
  expect([...readServerEntries(FILE, removed)].map(([name]) => name)).toEqual(['b']);
  expect(removed).toContain(
    '/* b is new */\n\t\t"b": { "url": "https://b.example" },\n\t},\n\t"limits": { "toolCalls": 5 },',
  );
  expect(removed).toContain('"mcpServers": {\n\t\t// keep\n');
  expect(withoutServer(FILE, '{ "servers": { "a": {}, "b": {} } }', 'b')).toBe('{ "servers": { "a": {} } }');
  expect(withoutServer(FILE, '{\n  "servers": {\n    "a": {},\n    "b": {}\n  }\n}', 'b')).toBe(
    '{\n  "servers": {\n    "a": {}\n  }\n}',
  );
  expect(withoutServer(FILE, TEXT, 'none')).toBeUndefined();
  expect(() => withServer(FILE, TEXT, 'b', {})).toThrow('has a server "b" already');
  expect(() => withServer(FILE, '{ "mcpServers": {,} }', 'b', {})).toThrow('not valid JSON at line 1, column 18');
});

it('keeps line ends, a byte order mark, and the object of VS Code', () => {
  const text = '\uFEFF{\r\n    "servers": {\r\n        "a": { "command": "a" }\r\n    }\r\n}\r\n';
  const added = withServer(FILE, text, '__proto__', { command: 'b' });
  expect(added.startsWith('\uFEFF{\r\n    "servers": {')).toBe(true);
  expect(added.replaceAll('\r\n', '')).not.toContain('\n');
  expect([...readServerEntries(FILE, added)].map(([name]) => name)).toEqual(['a', '__proto__']);
});

it('writes a file atomically, with its mode, through a link; a new file is for its owner', async () => {
  await editFile(FILE, (text) => withServer(FILE, text, 'a', { command: 'a' }));
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual({ mcpServers: { a: { command: 'a' } } });
  expect(statSync(FILE).mode & 0o777).toBe(0o600);
  chmodSync(FILE, 0o640);
  const link = join(folder, 'link.json');
  symlinkSync(FILE, link);
  await editFile(link, (text) => withoutServer(link, text, 'a') ?? text);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(FILE).mode & 0o777).toBe(0o640);
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual({ mcpServers: {} });
  writeFileSync(join(folder, 'file'), '');
  expect((await failureOf(editFile(join(folder, 'file', 'x'), () => 'y'))).code).toBe('CONFIG_INVALID');
});

it('changes the entry of one server, and keeps all other text', () => {
  const text = '{\n  // ours\n  "servers": {\n    "a": { "command": "a" }, // A\n    "b": { "command": "b" }\n  }\n}\n';
  const changed = withChangedServer(FILE, text, 'a', { url: 'https://a.example' });
  expect(readServerEntries(FILE, changed).get('a')).toEqual({ url: 'https://a.example' });
  expect(changed).toContain('// ours');
  expect(changed).toContain('"b": { "command": "b" }');
  expect(() => withChangedServer(FILE, text, 'c', {})).toThrow('has no server "c". Add it instead.');
});
