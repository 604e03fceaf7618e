// Writes packages/dashboard/api/openapi.d.ts from the OpenAPI document of the built server. Run npm run api-types.
// openapi-typescript needs its own TypeScript 5: it is not a dependency. A test compares the hash in the file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToolwright } from '@toolwright/core';
import { createHttpServer } from '@toolwright/server';
import { hashOfDocument } from './openapi-hash.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'packages/dashboard/api/openapi.d.ts');
const folder = mkdtempSync(join(tmpdir(), 'toolwright-types-'));
const toolwright = await createToolwright({ dataDir: folder, sandbox: 'quickjs', startSandbox: false });
const server = await createHttpServer({ toolwright, port: 0 });
try {
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  const [source, types] = [join(folder, 'openapi.json'), join(folder, 'openapi.d.ts')];
  writeFileSync(source, JSON.stringify(document));
  const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'].flatMap((name) => ['-p', name]);
  const { status } = spawnSync('npx', ['-y', ...packages, 'openapi-typescript', source, '-o', types], {
    stdio: 'inherit',
    cwd: folder,
  });
  if (status !== 0) process.exit(1);
  const head = `// Made by "npm run api-types" from the OpenAPI document ${hashOfDocument(document)}. Do not edit it.\n`;
  writeFileSync(target, head + readFileSync(types, 'utf8'));
} finally {
  await server.close();
  await toolwright.close();
  rmSync(folder, { recursive: true, force: true });
}
