import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Packages and the other packages that each may import: conformance → all of the host; toolwright → server, n8n → core → storage → connectors → sandbox, pii. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  sandbox: [],
  pii: [],
  connectors: ['sandbox', 'pii'],
  storage: ['connectors', 'sandbox', 'pii'],
  core: ['storage', 'connectors', 'sandbox', 'pii'],
  dashboard: [],
  n8n: ['core', 'connectors'],
  server: ['core', 'storage', 'connectors', 'sandbox', 'pii'],
  conformance: ['core', 'storage', 'connectors', 'sandbox', 'pii', 'server'],
  toolwright: ['core', 'storage', 'connectors', 'sandbox', 'pii', 'n8n', 'server'],
  vscode: ['dashboard'],
};

/** Returns the paths of files below a folder, relative to the repository, without built and installed files. */
export function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)(node_modules|dist|out)\//.test(path));
}

/** Sources of all packages, tests included. */
export const SOURCES: readonly string[] = Object.keys(PACKAGES).flatMap((name) =>
  filesIn(`packages/${name}/src`, /\.(tsx?|js|cjs|py)$/),
);
/** Sources of all packages without their tests. */
export const PRODUCT: readonly string[] = SOURCES.filter((path) => !path.endsWith('.test.ts'));

/** Reads a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the imports of a file: files of the repository by their path, packages by their specifier. */
export function importsOf(path: string): string[] {
  return importsIn(path, read(path));
}

/** Returns the imports of a file that exist at run time. */
export function runtimeImportsOf(path: string): string[] {
  return importsIn(path, read(path).replaceAll(/^(?:import|export) type\b[^;]*;/gm, ''));
}

function importsIn(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'|\bimport\('([^']+)'\)/gm)];
  return specifiers.map(([, fixed, dynamic]) => {
    const target = fixed ?? dynamic ?? '';
    return target.startsWith('.') ? join(dirname(path), target).split(sep).join('/') : target;
  });
}
