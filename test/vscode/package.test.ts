import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { EXTENSION, missingExtension } from '../fixtures/extension.ts';
import { needs } from '../fixtures/needs.ts';

const MAX_BYTES = 600_000;
const manifest = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8'));
const [, VSCE = ''] = /(@vscode\/vsce@[\d.]+)/.exec(manifest.scripts.package) ?? [];
const built = needs('build', missingExtension);

function npx(...args: readonly string[]) {
  return spawnSync('npx', ['--offline', '--yes', VSCE, ...args], { cwd: EXTENSION, encoding: 'utf8' });
}

/** The packaging tool is not a dependency: it installs 200 packages. */
const missingTool = npx('--version').status === 0 ? undefined : `${VSCE} is not in the cache of npm`;
const packaging = missingExtension === undefined ? needs('vsce', missingTool) : built;

/** Returns the files of the extension that its page and its manifest name. */
function neededFiles(): string[] {
  const folder = join(EXTENSION, 'dist/dashboard');
  const assets = readdirSync(join(folder, 'ui/assets')).map((name) => `ui/assets/${name}`);
  const texts = ['index.html', ...assets].map((name) => readFileSync(join(folder, name), 'utf8'));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)\b/g)].map(([name]) => `dist/dashboard/ui/assets/${name}`),
  );
  return [
    ...new Set([
      ...named,
      'dist/dashboard/index.html',
      'dist/dashboard/ui/icon.svg',
      manifest.icon,
      'dist/extension.cjs',
    ]),
  ].sort();
}

built.it('the files of the package contain everything that the page loads, and no sources', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [packed] = JSON.parse(spawnSync('npm', args, { cwd: EXTENSION, encoding: 'utf8' }).stdout);
  const paths: string[] = packed.files.map(({ path }: { readonly path: string }) => path);
  const needed = neededFiles();
  expect(needed.length).toBeGreaterThan(15);
  expect(needed.filter((path) => !paths.includes(path))).toEqual([]);
  const other = paths.filter((path) => !needed.includes(path)).sort();
  expect(other).toEqual(['LICENSE', 'README.md', 'dist/dashboard/licences.txt', 'package.json']);
  expect(manifest.main).toBe('./dist/extension.cjs');
  expect([manifest.private, manifest.dependencies]).toEqual([true, undefined]);
});

packaging.it('the tool of VS Code makes a package of it', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'vsix-')), 'extension.vsix');
  const { status, stdout, stderr } = npx('package', '--no-dependencies', '--out', file);
  expect([status, stderr.replaceAll(/^npm .*\n?/gm, '')]).toEqual([0, '']);
  expect(stdout).not.toMatch(/warning/i);
  expect(existsSync(file) && readFileSync(file).length).toBeLessThan(MAX_BYTES);
});

built.it(
  'the built file has all commands, screens and settings of the manifest, and loads nothing but the editor',
  () => {
    const modules = mkdtempSync(join(tmpdir(), 'editor-'));
    mkdirSync(join(modules, 'vscode'));
    const fakes = `const end = { dispose() {} }; const seen = { commands: [], views: [], settings: [] };
    module.exports = { seen, StatusBarAlignment: {}, ThemeColor: class {}, Uri: { joinPath: () => ({}) },
      window: { createStatusBarItem: () => ({ show() {}, ...end }),
        registerWebviewPanelSerializer: (name) => (seen.views.push(name), end) },
      workspace: { onDidChangeConfiguration: () => end,
        getConfiguration: (section) => ({ get: (name) => (seen.settings.push(section + '.' + name), 'http://127.0.0.1:9') }) },
      commands: { registerCommand: (name) => (seen.commands.push(name), end) } };`;
    writeFileSync(join(modules, 'vscode/index.js'), fakes);
    writeFileSync(join(modules, 'vscode/package.json'), '{ "type": "commonjs" }');
    const program = `const { activate } = require(${JSON.stringify(join(EXTENSION, manifest.main))});
    activate({ secrets: { onDidChange: () => ({ dispose() {} }), get: async () => undefined }, extensionUri: {}, subscriptions: [] });
    const loaded = Object.keys(require.cache).filter((path) => !path.endsWith('vscode/index.js'));
    console.log(JSON.stringify({ ...require('vscode').seen, loaded: loaded.length }));
    process.exit();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
      env: { ...process.env, NODE_PATH: modules },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { commands, views, settings, loaded } = JSON.parse(stdout);
    const { contributes } = manifest;
    expect(commands.sort()).toEqual(
      contributes.commands.map(({ command }: { readonly command: string }) => command).sort(),
    );
    const restored = views.map((view: string) => `onWebviewPanel:${view}`).sort();
    expect(manifest.activationEvents).toEqual(['onStartupFinished', ...restored]);
    expect(restored).toHaveLength(3);
    expect([...new Set(settings)]).toEqual(Object.keys(contributes.configuration.properties));
    expect(loaded).toBe(1);
    // A workspace cannot send the key elsewhere, and the default is the address of "toolwright serve".
    expect(contributes.configuration.properties['toolwright.serverUrl']).toMatchObject({
      ...{ scope: 'machine', default: 'http://127.0.0.1:8377' },
    });
  },
);
