import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const SKIPPED = /(^|\/)(node_modules|dist|fixtures)\//;
const PAGES = [
  /^(README|SECURITY|ARCHITECTURE|CONTRIBUTING)\.md$/,
  /^docs\/.*\.md$/,
  /^packages\/[^/]+\/README\.md$/,
  // Prompts.
  /^packages\/[^/]+\/src\/.*\.md$/,
];
const SOURCE = /^(packages\/[^/]+\/src|bench|examples|scripts|test)\/.*(?<!\.d)\.(ts|mjs)$/;

const files = (folder) =>
  readdirSync(ROOT + folder, { recursive: true }).map(
    (path) => `${folder}${folder && '/'}${path.split(sep).join('/')}`,
  );

function below(folders) {
  const present = new Set(readdirSync(ROOT));
  return folders.filter((folder) => present.has(folder)).flatMap((folder) => files(folder));
}

/** Returns the pages and prompts that are linted. */
export const pages = () =>
  [...readdirSync(ROOT), ...below(['docs', 'packages'])]
    .filter((path) => !SKIPPED.test(path) && PAGES.some((pattern) => pattern.test(path)))
    .sort();

/** Returns the source files whose strings, test titles and comments are linted. */
export const sources = () =>
  below(['bench', 'examples', 'packages', 'scripts', 'test'])
    .filter((path) => !SKIPPED.test(path) && SOURCE.test(path))
    .sort();
