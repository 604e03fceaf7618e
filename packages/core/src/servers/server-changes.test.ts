import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inlineConnector } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { parseConfig } from '../config/config.ts';
import { resolveSettings } from '../settings.ts';
import { createReload, type RunningServer } from './server-changes.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-'));
const A = { command: 'a' };
const B = { url: 'https://b.example/' };

/** Reloads from a first configuration to the next ones, with servers that exist in a list only. */
async function reloading(
  first: object,
  { inline = [] as string[], added = {} as Record<string, { command: string }> } = {},
) {
  let next = first;
  const read = () => parseConfig({ dataDir: folder, ...next }, { file: join(folder, 'toolwright.json'), env: {} });
  const settings = {
    ...(await resolveSettings({ dataDir: folder })),
    config: read(),
    readConfig: async () => read(),
    ownServers: new Set<string>(),
  };
  const names = new Set([...settings.config.servers.keys(), ...inline, ...Object.keys(added)]);
  const done: string[] = [];
  const catalog = {
    servers: () => [...names].map((name) => ({ name })),
    put: async ({ name }: { name: string }) => {
      done.push(`put ${name}`);
      names.add(name);
    },
    remove: async (name: string) => {
      done.push(`remove ${name}`);
      names.delete(name);
    },
  } as unknown as Catalog;
  const running = new Map<string, RunningServer>([
    ...[...settings.config.servers].map(([name, config]) => [name, { config, isInFile: true }] as const),
    ...Object.entries(added).map(([name, config]) => [name, { config, isInFile: false }] as const),
  ]);
  const connectorOf = (name: string) => inlineConnector(name, { tools: {} });
  const reload = createReload({ catalog, settings, running, connectorOf, drainMs: 0 });
  const to = (root: object) => {
    next = root;
    return reload();
  };
  return { to, done };
}

describe('a reload', () => {
  it('adds, removes and exchanges the servers that differ, and no others', async () => {
    const { to, done } = await reloading({ mcpServers: { a: A, b: B, c: A } });
    const report = await to({ mcpServers: { a: A, b: { ...B, timeoutMs: 5 }, d: A } });
    expect(report).toEqual({ added: ['d'], removed: ['c'], changed: ['b'], needsRestart: [] });
    expect(done.sort()).toEqual(['put b', 'put d', 'remove c']);
    expect(await to({ mcpServers: { d: A, b: { timeoutMs: 5, ...B }, a: { args: [], ...A } } })).toMatchObject({
      added: [],
      removed: [],
      changed: ['a'],
    });
  });

  it('removes a server that is disabled, and adds it again', async () => {
    const { to } = await reloading({ mcpServers: { a: A } });
    expect(await to({ mcpServers: { a: { ...A, disabled: true } } })).toMatchObject({ removed: ['a'] });
    expect(await to({ mcpServers: { a: A } })).toMatchObject({ added: ['a'] });
  });

  it('names other settings that need a restart', async () => {
    const { to } = await reloading({ mcpServers: { a: A }, limits: { toolCalls: 5 }, shop: { url: 'x' } });
    const next = {
      mcpServers: { a: A },
      limits: { toolCalls: 6 },
      sandbox: 'quickjs',
      shop: { url: 'y' },
      pii: { mode: 'off' },
    };
    expect([...(await to(next)).needsRestart].sort()).toEqual(['limits.toolCalls', 'pii.mode', 'sandbox', 'shop.url']);
  });

  it('changes nothing for an invalid file, and works for the next one', async () => {
    const { to, done } = await reloading({ mcpServers: { a: A } });
    const error = await failureOf(to({ mcpServers: { a: A, b: B }, sandbox: 5 }));
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      `${join(folder, 'toolwright.json')} has a problem:\n  sandbox: expected a string, got 5`,
    ]);
    const policy = { rules: [{ servers: 'none', action: 'deny' }] };
    expect((await failureOf(to({ mcpServers: {}, policy }))).message).toContain('none');
    expect(done).toEqual([]);
    expect(await to({ mcpServers: { a: A, b: B } })).toMatchObject({ added: ['b'] });
  });

  it('lists a server with a mistake, and exchanges it when the mistake is corrected', async () => {
    const { to, done } = await reloading({ mcpServers: { a: A } });
    expect(await to({ mcpServers: { a: A, b: { command: 5 } } })).toMatchObject({ added: ['b'], needsRestart: [] });
    expect(await to({ mcpServers: { a: A, b: { command: 5 } } })).toMatchObject({ added: [], changed: [] });
    expect(await to({ mcpServers: { a: A, b: B } })).toMatchObject({ added: [], changed: ['b'] });
    expect(done).toEqual(['put b', 'put b']);
  });

  it('keeps servers of the API and of the program, and adopts a server that is written to the file', async () => {
    const { to, done } = await reloading({ mcpServers: {} }, { inline: ['own'], added: { live: A } });
    expect(await to({ mcpServers: { a: A } })).toMatchObject({ added: ['a'], removed: [] });
    expect(await to({ mcpServers: { live: A } })).toMatchObject({ added: [], changed: [], removed: ['a'] });
    expect(done).toEqual(['put a', 'remove a']);
    expect(await to({ mcpServers: {} })).toMatchObject({ removed: ['live'] });
    expect((await failureOf(to({ mcpServers: { own: A } }))).message).toContain('the server "own" exists already');
  });
});
