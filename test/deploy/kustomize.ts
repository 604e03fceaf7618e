import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at, list, readYaml } from './yaml.ts';

/** A resource of Kubernetes. */
export type Resource = Readonly<Record<string, unknown>>;

/** The parts of a kustomization that `render` knows. Any other field is an error. */
const KNOWN = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'configMapGenerator', 'patches'];
/** Kinds without a namespace. */
const GLOBAL = ['Namespace'];

/** A kustomization in parts, in place of a folder. */
export interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
}

/**
 * Returns the resources of a kustomization below `deploy/`, like `kubectl kustomize`: resources, components, generated config
 * maps, patches by name and the namespace. Throws for anything else.
 */
export function render(kustomization: string | Kustomization, accumulated: readonly Resource[] = []): Resource[] {
  const folder = typeof kustomization === 'string' ? kustomization : '.';
  const tree = typeof kustomization === 'string' ? readYaml(join(folder, 'kustomization.yaml'))[0] : kustomization;
  const unknown = Object.keys(Object(tree)).filter((key) => !KNOWN.includes(key));
  if (unknown.length > 0) throw new Error(`${folder}: ${unknown.join(', ')} is not known here`);
  const own = [
    ...list(tree, 'resources').flatMap((path) => resourcesOf(join(folder, String(path)))),
    ...list(tree, 'configMapGenerator').map((generator) => configMap(folder, generator)),
  ];
  const namespace = at(tree, 'namespace');
  let all = [...accumulated, ...(typeof namespace === 'string' ? own.map((one) => inNamespace(one, namespace)) : own)];
  for (const component of list(tree, 'components')) all = render(join(folder, String(component)), all);
  for (const patch of list(tree, 'patches'))
    for (const document of readYaml(join(folder, String(at(patch, 'path'))))) all = patched(all, document, folder);
  return all;
}

/** Returns the name of a resource among all others. */
export function idOf(resource: unknown): string {
  return `${at(resource, 'kind')} ${at(resource, 'metadata.name')}`;
}

function resourcesOf(path: string): Resource[] {
  return path.endsWith('.yaml') ? readYaml(path).map((resource) => Object(resource)) : render(path);
}

/** The name has no suffix here: `kubectl` adds a hash of the content, and changes all references to it. */
function configMap(folder: string, generator: unknown): Resource {
  const files = list(generator, 'files').map(String);
  const data = Object.fromEntries(files.map((file) => [file, readDeployed(join(folder, file))]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: at(generator, 'name') }, data };
}

function readDeployed(path: string): string {
  return readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
}

function inNamespace(resource: Resource, namespace: string): Resource {
  if (GLOBAL.includes(String(resource.kind))) return resource;
  return { ...resource, metadata: { ...Object(resource.metadata), namespace } };
}

function patched(all: readonly Resource[], patch: unknown, folder: string): Resource[] {
  const { $patch, ...changes } = Object(patch);
  const target = all.find((resource) => idOf(resource) === idOf(patch));
  if (!target) throw new Error(`${dirname(folder)}: no ${idOf(patch)} to patch`);
  if ($patch === 'delete') return all.filter((resource) => resource !== target);
  return all.map((resource) => (resource === target ? Object(merged(target, changes)) : resource));
}

/** Merges objects by their keys and lists of named objects by their names, like a strategic merge patch. */
function merged(value: unknown, change: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(change) && change.every((item) => at(item, 'name') !== undefined)) {
    const known = value.map((item) => {
      const own = change.find((other) => at(other, 'name') === at(item, 'name'));
      return own === undefined ? item : merged(item, own);
    });
    return [...known, ...change.filter((other) => !value.some((item) => at(item, 'name') === at(other, 'name')))];
  }
  if (!isObject(value) || !isObject(change)) return change;
  const changes = Object.entries(change).map(([key, inner]) => [key, merged(value[key], inner)]);
  return { ...value, ...Object.fromEntries(changes) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the resources without the hashes of generated names and in one order, to compare them with those of `kubectl`. */
export function comparable(resources: readonly unknown[]): string[] {
  const texts = resources.map((resource) =>
    JSON.stringify(sorted(resource)).replaceAll(/"toolwright-[0-9a-z]{10}"/g, '"toolwright"'),
  );
  return texts.sort((a, b) => digest(a).localeCompare(digest(b)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** `kubectl` changes the order of merged lists of named objects. */
function nameOf(value: unknown): string {
  return String(at(value, 'name') ?? '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
