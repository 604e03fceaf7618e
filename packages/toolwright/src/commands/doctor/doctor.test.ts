import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolwright } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { fixture } from '../../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { tools } from '../tools/tools.ts';
import { doctor } from './doctor.ts';

const folder = temporaryFolder();
const config = join(folder, 'toolwright.json');
const server = { ...fixture('hostile', 'deep-schema'), protocol: 'legacy' };
writeFileSync(config, JSON.stringify({ dataDir: folder, mcpServers: { h: server } }));

test('doctor and the list of servers name a tool that is left out', async () => {
  const lines: string[] = [];
  const output = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) };
  await doctor({ config, json: true }, output);
  const text = 'left out: its definition is nested deeper than 200 levels';
  expect(JSON.parse(lines.splice(0)[0] ?? '').findings).toEqual(
    expect.arrayContaining([
      { subject: 'server h', ok: true, text: '1 tools, MCP 2025-06-18' },
      { subject: 'tool h__deep', ok: false, optional: true, text, fix: 'report it to the author of the server' },
    ]),
  );
  await using toolwright = await createToolwright({ config, sandbox: warmQuickjs() });
  expect(await tools(toolwright, { words: [], language: 'typescript', json: false }, output)).toBe(0);
  expect(lines).toEqual([
    'h (1 tools, 1 left out)  fixture',
    '  left out h__deep: its definition is nested deeper than 200 levels',
  ]);
});

describe('doctor finds stored state that cannot be read', () => {
  const write = (path: string) => writeFileSync(path, 'x'.repeat(8_192), { mode: 0o600 });
  test.each([
    ['executions', 'state.db', write, /not a database\. Restore .* from a backup/],
    ['placeholders', 'store.db', write, /not a database\. Restore .* from a backup/],
    ['a folder', 'state.db', mkdirSync, /Check that .* is a file, and that this user can read/],
  ])('%s', async (_what, name, damage, text) => {
    const dataDir = temporaryFolder();
    const file = join(dataDir, 'toolwright.json');
    writeFileSync(file, JSON.stringify({ dataDir, mcpServers: {} }));
    damage(join(dataDir, name));
    const lines: string[] = [];
    const output = { out: (line: string) => void lines.push(line), err: () => undefined };
    expect(await doctor({ config: file, json: true }, output)).not.toBe(0);
    expect(JSON.parse(lines[0] ?? '').findings).toContainEqual({
      subject: 'stored state',
      ok: false,
      text: expect.stringMatching(text),
    });
  });
});
