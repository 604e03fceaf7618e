import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { n8nPackages } from '../../../../test/fixtures/n8n-packages.ts';
import { makeTarball } from '../../../../test/fixtures/tarball.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { openCatalog } from './folder.ts';
import { syncCatalog } from './sync.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'n8n-sync-'));
}

function tarballs(version: string): string {
  const place = folder();
  for (const [name, bytes] of n8nPackages(version))
    writeFileSync(join(place, `${name.replace(/\W/g, '-')}.tgz`), bytes);
  return place;
}

describe('sync', () => {
  it('reads the tarballs of a folder and keeps the keys that the engine uses', async () => {
    const cache = folder();
    const synced = await syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.8.1')] });
    expect(synced).toMatchObject({ version: '2.8.4', nodeTypes: EXAMPLE_CATALOG.nodes.length, credentialTypes: 5 });
    const catalog = openCatalog(cache);
    for (const node of EXAMPLE_CATALOG.nodes) expect(catalog.describe(node.name)).toEqual(node);
  });

  it('downloads the packages of a version of n8n with npm', async () => {
    const packages = n8nPackages('2.8.1');
    const server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '').slice(1);
      const { port } = server.address() as AddressInfo;
      if (path.endsWith('.tgz')) {
        response.end(packages.get(path.replace(/\/-\/.*$/, '')));
        return;
      }
      const dependencies = Object.fromEntries([...packages.keys()].map((name) => [name, '2.8.1']));
      const version = path === 'n8n' ? '2.8.4' : '2.8.1';
      const manifest = {
        name: path,
        version,
        dependencies,
        dist: { tarball: `http://127.0.0.1:${port}/${path}/-/x.tgz` },
      };
      const known = path === 'n8n' || packages.has(path);
      response.statusCode = known ? 200 : 404;
      response.end(
        JSON.stringify(
          known ? { name: path, 'dist-tags': { latest: version }, versions: { [version]: manifest } } : {},
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { npm_config_registry: before, npm_config_cache: cacheBefore } = process.env;
    process.env.npm_config_registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    process.env.npm_config_cache = folder();
    closing.push(() => {
      server.close();
      for (const [name, value] of [
        ['npm_config_registry', before],
        ['npm_config_cache', cacheBefore],
      ] as const) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    const cache = folder();
    expect(await syncCatalog(cache, {})).toMatchObject({ version: '2.8.4', nodeTypes: EXAMPLE_CATALOG.nodes.length });
    await expect(syncCatalog(cache, { version: '9.9.9' })).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(syncCatalog(cache, { version: '1; rm' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('names the problem of a bad source', async () => {
    const file = join(folder(), 'x.tgz');
    await expect(syncCatalog(folder(), { from: [file] })).rejects.toThrow('no such file');
    writeFileSync(file, 'no gzip');
    await expect(syncCatalog(folder(), { from: [file] })).rejects.toThrow('is not a tarball');
    writeFileSync(file, makeTarball({ 'package.json': '{"name":"left-pad","version":"1.0.0"}' }));
    await expect(syncCatalog(folder(), { from: [file] })).rejects.toThrow('is not a package of n8n nodes');
    await expect(syncCatalog(folder(), { from: ['http://127.0.0.1:1'] })).rejects.toThrow('TOOLWRIGHT_N8N_EMAIL');
  });

  it('reads the node types of an instance for a user of its editor', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/rest/login') {
        response.setHeader('set-cookie', 'n8n-auth=abc; HttpOnly');
        response.end('{}');
        return;
      }
      if (request.headers.cookie !== 'n8n-auth=abc') {
        response.statusCode = 401;
        response.end();
        return;
      }
      const answers: Record<string, unknown> = {
        '/types/nodes.json': EXAMPLE_CATALOG.nodes,
        '/types/credentials.json': EXAMPLE_CATALOG.credentials,
        '/rest/settings': { data: { versionCli: '2.8.4' } },
      };
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const user = { email: 'owner@example.test', password: 'secret' };
    expect(await syncCatalog(folder(), { from: [url], user })).toMatchObject({ version: '2.8.4' });
    await expect(syncCatalog(folder(), { from: ['http://127.0.0.1:1'], user })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
  });
});
