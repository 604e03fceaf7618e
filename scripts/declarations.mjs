// Prepares the compiled declarations of a package for users, who do not have the libraries of its bundle.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** The package that contains zod, and the declarations of zod. */
export const OWNER_OF_ZOD = '@toolwright/connectors';
/** Exports for our own packages only. Their declarations would name the types of bundled libraries, so they have none. */
const UNDECLARED = { '@toolwright/sandbox': ['./yaml'], '@toolwright/server': ['./internal', './internal-mcp'] };
const SPECIFIER = /((?:from|import\()\s*["'])([^"']+)(["'])/g;

/**
 * Makes the declarations in `dist` stand alone: their zod is the copy of {@link OWNER_OF_ZOD}. Removes declarations that no export needs.
 * @param {string} root folder of a package
 * @param {Record<string, any>} manifest
 * @returns {void}
 */
export function publishDeclarations(root, { name, exports = {} }) {
  for (const place of UNDECLARED[name] ?? []) writeFileSync(join(root, exports[place].types), 'export {};\n');
  const dist = join(root, 'dist');
  const ownZod = join(dist, 'types/zod');
  if (name === OWNER_OF_ZOD) copyZod(root, ownZod);
  const types = Object.values(exports).flatMap((target) => (target.types ? [join(root, target.types)] : []));
  const reached = reachable(types, (path) => {
    const zod = name === OWNER_OF_ZOD ? relativePath(path, join(ownZod, 'index.js')) : `${OWNER_OF_ZOD}/zod`;
    return readFileSync(path, 'utf8').replace(SPECIFIER, (whole, before, target, after) =>
      target === 'zod' ? `${before}${zod}${after}` : whole,
    );
  });
  for (const entry of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, entry);
    if (!path.endsWith('.d.ts') || entry.startsWith(`guest${sep}`)) continue;
    if (reached.has(path)) writeFileSync(path, reached.get(path));
    else rmSync(path);
  }
}

/** Copies the declarations of zod. Like its bundle, they have the messages in English only. */
function copyZod(root, target) {
  const source = dirname(createRequire(join(root, 'package.json')).resolve('zod'));
  const locales = join(source, 'v4/locales/index.d.ts');
  const copied = reachable([join(source, 'index.d.ts')], (path) =>
    path === locales ? "export { default as en } from './en.js';\n" : readFileSync(path, 'utf8'),
  );
  for (const [path, text] of copied) {
    const copy = join(target, relative(source, path));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
}

/** Returns the declarations that files import, and the files themselves, with the texts that `read` returns. */
function reachable(paths, read) {
  const reached = new Map();
  const visit = (path) => {
    if (reached.has(path) || !existsSync(path)) return;
    const text = read(path);
    reached.set(path, text);
    for (const [, , target] of text.matchAll(SPECIFIER))
      if (target.startsWith('.')) visit(join(dirname(path), target.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const path of paths) visit(path);
  return reached;
}

function relativePath(from, to) {
  const path = relative(dirname(from), to).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}
