import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { n8nPackages } from '../../../../test/fixtures/n8n-packages.ts';
import { makeTarball } from '../../../../test/fixtures/tarball.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { cachedVersions, openCatalog } from './folder.ts';
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
    expect(synced).toMatchObject({
      version: '2.8.4',
      nodeTypes: EXAMPLE_CATALOG.nodes.length,
      credentialTypes: EXAMPLE_CATALOG.credentials.length,
    });
    const catalog = openCatalog(cache);
    for (const node of EXAMPLE_CATALOG.nodes) expect(catalog.describe(node.name)).toEqual(node);
  });

  /** Starts a registry with releases of n8n, by version the one of their node packages. Packages of 2.8.1 and 2.7.1 exist. */
  async function registry(releases: Readonly<Record<string, string>>): Promise<void> {
    const packages = n8nPackages('2.8.1');
    const existing = ['2.8.1', '2.7.1'];
    const server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '').slice(1);
      // npm may still ask when the server closes: then it has no address.
      const port = request.socket.localPort;
      if (path.endsWith('.tgz')) {
        response.end(packages.get(path.replace(/\/-\/.*$/, '')));
        return;
      }
      const manifest = (version: string, dependencies: object = {}) => ({
        name: path,
        version,
        dependencies,
        dist: { tarball: `http://127.0.0.1:${port}/${path}/-/x.tgz` },
      });
      const dependenciesOn = (version: string) =>
        Object.fromEntries([...packages.keys()].map((name) => [name, version]));
      const versions =
        path === 'n8n'
          ? Object.entries(releases).map(([version, nodes]) => manifest(version, dependenciesOn(nodes)))
          : packages.has(path)
            ? existing.map((version) => manifest(version))
            : [];
      response.statusCode = versions.length > 0 ? 200 : 404;
      const latest = versions[0]?.version;
      const byVersion = Object.fromEntries(versions.map((each) => [each.version, each]));
      response.end(JSON.stringify({ name: path, 'dist-tags': { latest }, versions: byVersion }));
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
  }

  it('downloads the newest complete version of n8n with npm', async () => {
    await registry({ '2.9.0': '2.9.0', '2.9.0-beta.1': '2.8.1', '2.8.4': '2.8.1', '2.7.9': '2.7.1' });
    const cache = folder();
    expect(await syncCatalog(cache, {})).toMatchObject({
      version: '2.8.4',
      nodeTypes: EXAMPLE_CATALOG.nodes.length,
      incomplete: ['2.9.0'],
    });
    // An exact version has no substitute.
    await expect(syncCatalog(cache, { version: '2.9.0' })).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(syncCatalog(cache, { version: '1; rm' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(cachedVersions(cache)).toEqual(['2.8.4']);
  }, 300_000);

  it('never replaces the catalog of another version', async () => {
    const cache = folder();
    await syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.8.1')] });
    await syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.8.1')] });
    await expect(syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.9.0')] })).rejects.toThrow(
      /exists with \S+ 2\.8\.1, not 2\.9\.0\. Name the version of n8n/,
    );
    expect(await syncCatalog(cache, { from: [tarballs('2.9.0')] })).toMatchObject({ version: '2.9.0' });
    expect(cachedVersions(cache)).toEqual(['2.8.4', '2.9.0']);
    expect(openCatalog(cache, '2.8').version).toBe('2.8.4');
  });

  it('leaves the earlier catalog whole when it is interrupted, and never opens half of a file', async () => {
    const cache = folder();
    await syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.8.1')] });
    const file = join(cache, '2.8.4.catalog');
    const before = readFileSync(file);
    // A folder in the place of the new file makes the write fail, as a full disk does.
    mkdirSync(`${file}.${process.pid}.new`);
    await expect(syncCatalog(cache, { version: '2.8.4', from: [tarballs('2.8.1')] })).rejects.toThrow();
    expect(readFileSync(file)).toEqual(before);
    for (const [version, length] of [
      ['2.9.0', before.length - 1],
      ['2.10.0', 100],
      ['2.11.0', 0],
    ] as const) {
      writeFileSync(join(cache, `${version}.catalog`), before.subarray(0, length));
      expect(openCatalog(cache).version).toBe('2.8.4');
      expect(() => openCatalog(cache, version)).toThrow('is not a complete catalog');
    }
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
    let isOld = false;
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
        '/rest/community-packages': {
          data: [{ packageName: 'n8n-nodes-chat', installedVersion: '1.0.0', installedNodes: [] }],
        },
        '/rest/community-node-types': { data: [{ packageName: 'n8n-nodes-mail', npmVersion: '3.0.0' }] },
      };
      if (isOld && request.url?.startsWith('/rest/community')) response.statusCode = 404;
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const user = { email: 'owner@example.test', password: 'secret' };
    const cache = folder();
    expect(await syncCatalog(cache, { from: [url], user })).toMatchObject({ version: '2.8.4' });
    expect(openCatalog(cache).community).toEqual([
      { name: 'n8n-nodes-chat', isVerified: false, installed: '1.0.0' },
      { name: 'n8n-nodes-mail', isVerified: true },
    ]);
    isOld = true;
    await syncCatalog(cache, { from: [url], user });
    expect(openCatalog(cache).community).toEqual([]);
    await expect(syncCatalog(folder(), { from: ['http://127.0.0.1:1'], user })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
  });
});
