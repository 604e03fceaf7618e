// Builds the extension for VS Code into packages/vscode/dist: one file, and the files of the dashboard. Run it after buildDashboard.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { hashOf } from './dashboard.mjs';

/** The parts of the built dashboard that a webview needs. */
const PAGES = ['index.html', 'licences.txt', 'ui'];

/**
 * Builds the extension. Does nothing when its sources, the dashboard and the built files are those of the last build.
 * @param {string} root
 */
export async function buildExtension(root) {
  const [source, dashboard] = [join(root, 'packages/vscode'), join(root, 'packages/server/dashboard')];
  const target = join(source, 'dist');
  const stamp = join(root, 'node_modules/.cache/toolwright/vscode');
  const inputs = [join(root, 'package-lock.json'), join(root, 'LICENSE'), join(source, 'src'), dashboard, target];
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs)) return;
  rmSync(target, { recursive: true, force: true });
  await build({
    absWorkingDir: source,
    entryPoints: ['src/extension.ts'],
    outfile: join(target, 'extension.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode'],
  });
  for (const name of PAGES) cpSync(join(dashboard, name), join(target, 'dashboard', name), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hashOf(inputs));
}
