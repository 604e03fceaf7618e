import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const DEPLOY: string = fileURLToPath(new URL('../../deploy', import.meta.url));

/** Returns the value at a path of names and numbers, separated by dots; `undefined` if there is none. */
export function at(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], tree);
}

/** Returns the list at a path; an empty list if there is none. */
export function list(tree: unknown, path: string): unknown[] {
  return Array.from(Object(at(tree, path) ?? []));
}

/** Returns all documents of a file below `deploy/`. Throws for malformed YAML and for duplicate keys. */
export function readYaml(file: string): unknown[] {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8'), {
    strict: true,
    uniqueKeys: true,
    merge: true,
  });
  return [...documents].map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS() as unknown;
  });
}
