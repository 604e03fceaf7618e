// Packs each package and checks the tarballs. publint checks the manifest and its files; attw ("are the types wrong?") resolves
// each export like Node (ESM) and bundlers. Then installs all of them. Exits 1 on problems. Run it after a build:
// node scripts/check-packages.mjs [FOLDER...]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkInstalled } from './installed/check-installed.mjs';
import { manifestOf, pack, packageFolders, run } from './packages.mjs';

const require = createRequire(import.meta.url);
const ATTW = join(dirname(require.resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');
const ATTW_OPTIONS = ['--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'ascii'];

/** Returns the findings of publint in a tarball, one line each. */
async function manifestProblems(tarball, manifest) {
  const bytes = readFileSync(tarball);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages.map((message) => `${message.type}: ${formatMessage(message, manifest, { color: false })}`);
}

/** Returns the output of attw if types or modules do not resolve, else nothing. */
function typeProblems(tarball) {
  try {
    const output = run(process.execPath, [ATTW, tarball, ...ATTW_OPTIONS], process.cwd());
    // attw succeeds for a package without any types.
    return /does not contain types/.test(output) ? [output.trim()] : [];
  } catch (error) {
    return [error.message];
  }
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-packages-'));
try {
  const named = process.argv.slice(2);
  const tarballs = [];
  for (const source of named.length > 0 ? named : packageFolders()) {
    const manifest = manifestOf(source);
    const tarball = pack(source, folder);
    tarballs.push(tarball);
    const problems = [...(await manifestProblems(tarball, manifest)), ...typeProblems(tarball)];
    console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${manifest.name} ${manifest.version}`);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  }
  if (named.length === 0) checkInstalled(tarballs, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
