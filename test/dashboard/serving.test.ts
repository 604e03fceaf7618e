import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { needs } from '../fixtures/needs.ts';

const FOLDER = new URL('../../packages/server/dashboard/', import.meta.url);
const MAX_FIRST_VIEW_BYTES = 350_000;
const built = needs('build', existsSync(FOLDER) ? undefined : 'the dashboard is not built');

let server: HttpServer;
beforeAll(async () => {
  server = await startApi({ publicUrl: 'https://example.com/tools/' });
});
afterAll(() => server.close());

built.it(
  'the page may load only files of its server, frames documents only, and no other page may frame it',
  async () => {
    const [first, second] = await Promise.all([ask(`${server.url}/`), ask(`${server.url}/ui/executions/x?tab=logs`)]);
    const policy = first.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src blob:; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect([first.status, first.headers.get('cache-control'), first.headers.get('x-content-type-options')]).toEqual([
      200,
      'no-store',
      'nosniff',
    ]);
    expect(first.body).toContain(`<base href="/tools/"><meta property="csp-nonce" nonce="${nonce}">`);
    expect(first.body).not.toMatch(/<script(?![^>]* src="\.\/ui\/)|<style| on\w+=|https?:/);
    expect(second.headers.get('content-security-policy')).not.toBe(policy);
  },
);

built.it('a prefix of the proxy is the base, if it is a path', async () => {
  const baseFor = async (prefix: string) => {
    const { body } = await ask(`${server.url}/`, { headers: { 'x-forwarded-prefix': prefix } });
    return /<base href="([^"]*)">/.exec(body)?.[1];
  };
  expect(await baseFor('/tw/proxy')).toBe('/tw/proxy/');
  expect(await baseFor('//evil.example/')).toBe('/tools/');
  expect(await baseFor('/"><script>')).toBe('/tools/');
});

built.it('files are compressed, never change, and are only those of the build', async () => {
  const { body } = await ask(`${server.url}/`);
  const [, script = ''] = /<script [^>]*src="\.\/([^"]+)"/.exec(body) ?? [];
  const { status, headers } = await ask(`${server.url}/${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect([status, headers.get('content-type'), headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=UTF-8',
    'gzip',
    'public, max-age=31536000, immutable',
  ]);
  for (const path of ['ui/assets/none.js', 'ui/assets/index.html', 'manifest.json', 'licences.txt', 'dashboard']) {
    expect([path, (await ask(`${server.url}/${path}`)).status]).toEqual([path, 404]);
  }
  expect((await ask(`${server.url}/ui/executions`, { method: 'POST' })).status).toBe(405);
});

built.it('`dashboard: false` serves no page', async () => {
  const bare = await startApi({ dashboard: false });
  try {
    expect((await ask(`${bare.url}/`)).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await ask(`${bare.url}/ui/executions`)).status).toBe(404);
  } finally {
    await bare.close();
  }
});

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

built.it(`the first view loads at most ${MAX_FIRST_VIEW_BYTES / 1_000} kB`, () => {
  const chunks: Record<string, Chunk> = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8'));
  const files = new Set(['index.html']);
  const add = (chunk: Chunk | undefined): void => {
    if (!chunk || files.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const name of chunk.imports ?? []) add(chunks[name]);
  };
  add(Object.values(chunks).find(({ isEntry }) => isEntry));
  const sizes = [...files].map((file) => gzipSync(readFileSync(new URL(file, FOLDER)), { level: 9 }).length);
  expect(files.size).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
});
