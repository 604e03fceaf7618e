import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** `package/package.json`; some archives have another first folder. */
const MANIFEST = /^[^/]+\/package\.json$/;
const SCRIPTS = ['preinstall', 'install', 'postinstall'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A registry of npm on the loopback address, over the archives of a folder. */
export interface Mirror extends AsyncDisposable {
  readonly address: string;
}

/** Serves the archives (`*.tgz`) of a folder to npm, which accepts no folder itself. */
export async function startMirror(folder: string): Promise<Mirror> {
  const versions = new Map<string, Map<string, { manifest: Manifest; content: Buffer }>>();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.tgz')).sort()) {
    const content = await readFile(join(folder, file));
    const manifest = manifestOf(content);
    if (manifest === undefined) continue;
    const known = versions.get(manifest.name) ?? new Map();
    versions.set(manifest.name, known.set(manifest.version, { manifest, content }));
  }
  const server = createServer((request, response) => {
    const [, path = '', version] = /^\/([^?]*?)(?:\/-\/([^/?]+)\.tgz)?(?:\?|$)/.exec(request.url ?? '') ?? [];
    const found = versions.get(decodeURIComponent(path));
    const archive = version === undefined ? undefined : found?.get(decodeURIComponent(version))?.content;
    if (found === undefined || (version !== undefined && archive === undefined)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    } else if (archive) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(archive);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packumentOf(path, found)));
  });
  const packumentOf = (path: string, found: ReadonlyMap<string, { manifest: Manifest; content: Buffer }>) => {
    const entries = [...found].map(([version, { manifest, content }]) => {
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const tarball = `${addressOf()}${path}/-/${encodeURIComponent(version)}.tgz`;
      const hasInstallScript = SCRIPTS.some((script) => manifest.scripts?.[script] !== undefined);
      return [version, { ...manifest, hasInstallScript, dist: { integrity, tarball } }];
    });
    const latest = [...found.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
    return { name: decodeURIComponent(path), 'dist-tags': { latest }, versions: Object.fromEntries(entries) };
  };
  const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: addressOf(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the manifest in an archive of npm; undefined if it has none. */
function manifestOf(archive: Buffer): Manifest | undefined {
  const tar = gunzipSync(archive, { maxOutputLength: MAX_UNPACKED_BYTES });
  for (let at = 0; at + BLOCK_BYTES <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK_BYTES);
    const text = (from: number, to: number) => header.subarray(from, to).toString('utf8').replace(/\0.*$/s, '');
    const bytes = Number.parseInt(text(124, 136).trim() || '0', 8);
    if (MANIFEST.test(text(0, 100)))
      return JSON.parse(tar.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + bytes).toString('utf8'));
    at += BLOCK_BYTES + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return undefined;
}
