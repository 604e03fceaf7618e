import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { n8nPackages } from '../../../test/fixtures/n8n-packages.ts';
import { type N8nArguments, runN8nCommand } from './run-command.ts';

async function command(words: string[], args: Partial<N8nArguments> = {}): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const code = await runN8nCommand(
    { words, json: false, ...args },
    { out: (text) => lines.push(text), err: (text) => lines.push(text) },
  );
  return { code, out: lines.join('\n') };
}

function file(name: string, text: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'n8n-command-')), name);
  writeFileSync(path, text);
  return path;
}

const GOOD = JSON.stringify({
  name: 'W',
  nodes: [
    {
      id: '1',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: 'x' },
      webhookId: 'a',
    },
    { id: '2', name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [0, 0], parameters: {} },
  ],
  connections: { Webhook: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } },
});

it('validates a file and returns the verdict as exit code', async () => {
  const good = await command(['validate', file('w.json', GOOD)], { catalog: 'example', json: true });
  expect(good.code).toBe(0);
  expect(JSON.parse(good.out)).toEqual({ valid: true, publishable: true, errors: [], warnings: [] });
  const lost = GOOD.replace('"node":"Next"', '"node":"Nxt"');
  expect(
    JSON.parse((await command(['validate', file('w.json', lost)], { catalog: 'example', json: true })).out),
  ).toMatchObject({
    publishable: true,
    warnings: [{ code: 'CONNECTION_UNKNOWN_TARGET', node: 'Webhook' }, { code: 'UNREACHABLE_NODE' }],
  });
  const bad = await command(['validate', file('w.json', GOOD.replace('.webhook', '.webhok'))], {
    catalog: 'example',
    level: 'publish',
  });
  expect(bad.code).toBe(1);
  expect(bad.out).toContain('error   UNKNOWN_NODE_TYPE "Webhook" type');
  expect(bad.out).toContain('fix: Write n8n-nodes-base.webhook.');
  expect(bad.out).toContain('n8n 2.8.4 would reject it: 2 errors');
});

it('fetches a catalog, stores it and uses it', async () => {
  const tarballs = [...n8nPackages('2.8.1').values()].map((bytes, index) => file(`${index}.tgz`, bytes));
  expect(await command(['sync', '2.8.4'], { from: tarballs, json: true })).toMatchObject({ code: 0 });
  expect((await command(['versions'])).out).toBe('2.8.4');
  expect((await command(['validate', file('w.json', GOOD)])).out).toContain('n8n 2.8.4 would publish it');
});

it('rejects wrong usage and names the right one', async () => {
  await expect(command([])).rejects.toThrow('n8n sync [VERSION]');
  await expect(command(['validate'])).rejects.toThrow('requires a file');
  await expect(command(['validate', file('w.json', GOOD)], { level: 'strict' })).rejects.toThrow(
    'Use --level publish or --level lint',
  );
  await expect(command(['validate', file('w.json', '[]')], { catalog: 'example' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
  });
  await expect(command(['validate', file('w.json', GOOD)], { catalog: '1.0' })).rejects.toThrow(
    'toolwright n8n sync 1.0',
  );
});
