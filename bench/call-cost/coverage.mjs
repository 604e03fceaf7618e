// Counts our functions, and the files of their sources, that some work runs in this process: V8's precise coverage of the bundles.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** The comment that a bundle has above the code of each source. */
const SOURCE = /^\/\/ (\S+\.(?:ts|js|mjs|cjs))$/gm;
const sources = new Map();

/** Returns the functions that run at least `times` times while `work` runs, with their files. */
export async function coverageOf(work, times = 1) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const found = result
    .filter(({ url }) => /\/packages\/\w+\/dist\//.test(url))
    .flatMap(({ url, functions }) => functions.flatMap((each) => functionsOf(fileURLToPath(url), each, times)));
  const files = [...new Set(found.map(({ file }) => file))].sort();
  return { functions: found.length, files: files.length, list: files, found };
}

function functionsOf(path, { functionName, ranges: [{ startOffset, count }] }, times) {
  const file = sourceOf(path, startOffset);
  // A module is a function that starts with its file.
  return count < times || startOffset === 0 || file.includes('node_modules') ? [] : [{ file, functionName, count }];
}

/** Returns the source of a place in a bundle, as `core/src/journal/lines.ts`. */
function sourceOf(path, offset) {
  const starts = sources.get(path) ?? [...readFileSync(path, 'utf8').matchAll(SOURCE)];
  sources.set(path, starts);
  const [, owner] = /packages\/(\w+)\/dist\//.exec(path);
  const name = starts.findLast(({ index }) => index <= offset)?.[1];
  return name === undefined ? path : `${owner}/${name}`;
}
