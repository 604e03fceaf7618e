import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const DEPLOY: string = fileURLToPath(new URL('../../deploy', import.meta.url));

/** What is at a path of names and numbers with dots between; `undefined` where nothing is. */
export function at(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], tree);
}

/** The list at a path; an empty one where nothing is. */
export function list(tree: unknown, path: string): unknown[] {
  return Array.from(Object(at(tree, path) ?? []));
}

/** All documents of a file below `deploy/`. Throws for YAML that is not well formed, or has a key twice. */
export function readYaml(file: string): unknown[] {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8'), { strict: true, uniqueKeys: true });
  return [...documents].map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS() as unknown;
  });
}

/** The manifests of Kubernetes, by kind. Each kind is there once. */
export function readManifests(): Map<string, unknown> {
  const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((name) => name.endsWith('.yaml'));
  const all = files.flatMap((name) => readYaml(`kubernetes/${name}`));
  const byKind = new Map(all.map((manifest) => [String(at(manifest, 'kind')), manifest]));
  if (byKind.size !== all.length) throw new Error('a kind is there twice');
  return byKind;
}
