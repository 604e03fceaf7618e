// `node:path`. Relative paths start in the workspace, as those of `fs` do.
import { compute } from '../engine.js';

const NAMES = ['basename', 'dirname', 'extname', 'format', 'isAbsolute', 'join', 'normalize', 'parse'];

/** @param {string} flavour @param {readonly string[]} names */
function functionsOf(flavour, names) {
  return Object.fromEntries(
    names.map((name) => [name, (/** @type {unknown[]} */ ...args) => compute(`path.${flavour}.${name}`, args)]),
  );
}

/** @type {any} */
const paths = {
  ...functionsOf('posix', [...NAMES, 'relative', 'resolve', 'toNamespacedPath']),
  sep: '/',
  delimiter: ':',
  win32: { ...functionsOf('win32', NAMES), sep: '\\', delimiter: ';' },
};
paths.posix = paths;
paths.win32.posix = paths;
paths.win32.win32 = paths.win32;

export default paths;
export const {
  basename,
  delimiter,
  dirname,
  extname,
  format,
  isAbsolute,
  join,
  normalize,
  parse,
  posix,
  relative,
  resolve,
  sep,
  toNamespacedPath,
  win32,
} = paths;
