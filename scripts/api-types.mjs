// Writes packages/dashboard/api/openapi.d.ts from the OpenAPI document of the built server, unless it has the types of this
// document. openapi-typescript needs its own TypeScript 5, which npx installs: it is not a dependency.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToolwright } from '@toolwright/core';
import { createHttpServer } from '@toolwright/server';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'packages/dashboard/api/openapi.d.ts');
const folder = mkdtempSync(join(tmpdir(), 'toolwright-types-'));
const toolwright = await createToolwright({ dataDir: folder, sandbox: 'quickjs', startSandbox: false });
const server = await createHttpServer({ toolwright, port: 0 });
try {
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  const head = `// Made by "npm run typecheck" from the OpenAPI document ${createHash('sha256').update(document).digest('hex')}.\n`;
  if (!existsSync(target) || !readFileSync(target, 'utf8').startsWith(head)) write(document, head);
} finally {
  await server.close();
  await toolwright.close();
  rmSync(folder, { recursive: true, force: true });
}

function write(document, head) {
  const [source, types] = [join(folder, 'openapi.json'), join(folder, 'openapi.d.ts')];
  writeFileSync(source, document);
  const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'].flatMap((name) => ['-p', name]);
  const { status } = spawnSync('npx', ['-y', ...packages, 'openapi-typescript', source, '-o', types], {
    stdio: 'inherit',
    cwd: folder,
  });
  if (status !== 0) throw new Error('openapi-typescript could not be installed or run. It needs the npm registry.');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, head + readFileSync(types, 'utf8'));
}
