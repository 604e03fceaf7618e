import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { problemsOf } from '../fixtures/kubernetes/schemas.ts';
import { needs } from '../fixtures/needs.ts';
import { DEPLOYMENTS } from './deployments.ts';
import { comparable, idOf, type Kustomization, render } from './kustomize.ts';
import { at, DEPLOY, readYaml } from './yaml.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const needsKubectl = needs('kubectl', hasKubectl ? undefined : 'kubectl is not installed');
const folder = mkdtempSync(join(tmpdir(), 'toolwright-kustomize-'));

afterAll(() => rmSync(folder, { recursive: true }));

const JOBS = ['create-key', 'create-key-cluster'].flatMap((name) => readYaml(`kubernetes/jobs/${name}.yaml`));

describe.each(Object.entries(DEPLOYMENTS))('the resources of %s', (_name, kustomization) => {
  const resources = render(kustomization);

  it('match the published schemas', () => {
    const problems = resources.flatMap((resource) => problemsOf(resource).map((text) => `${idOf(resource)}: ${text}`));
    expect(problems).toEqual([]);
  });

  it('have a namespace', () => {
    const namespaces = resources
      .filter(({ kind }) => kind !== 'Namespace')
      .map(({ metadata }) => at(metadata, 'namespace'));
    expect(namespaces.filter((namespace) => namespace === undefined)).toEqual([]);
  });

  it('have a name of their own each', () => {
    const ids = resources.map(idOf);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

it('the jobs match the published schemas', () => {
  expect(JOBS.flatMap(problemsOf)).toEqual([]);
});

it('a resource with an unknown field, a wrong type or a missing field does not match', () => {
  const [api] = render(DEPLOYMENTS.cluster).filter((resource) => idOf(resource) === 'Deployment toolwright-api');
  const changed = (change: (text: string) => string) => problemsOf(JSON.parse(change(JSON.stringify(api))));
  expect(changed((text) => text)).toEqual([]);
  expect(changed((text) => text.replace('"maxSurge"', '"maxSurges"'))).toEqual([
    '/spec/strategy/rollingUpdate must NOT have additional properties "maxSurges"',
  ]);
  expect(changed((text) => text.replace('"containerPort":8377', '"containerPort":"8377"'))).toEqual([
    '/spec/template/spec/containers/0/ports/0/containerPort must be number',
  ]);
  expect(changed((text) => text.replace('"selector":', '"selectors":'))).toHaveLength(2);
  expect(problemsOf({ apiVersion: 'v1', kind: 'Deployment' })).toEqual(['no schema for v1 Deployment']);
});

needsKubectl.describe('kubectl', () => {
  it.each(Object.entries(DEPLOYMENTS))('assembles %s with the same result', (_name, kustomization) => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folderOf(kustomization)], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const assembled = parseAllDocuments(stdout).map((document) => document.toJS());
    expect(comparable(assembled)).toEqual(comparable(render(kustomization)));
  });
});

/** `kubectl` reads folders, also for a kustomization in parts. */
function folderOf(kustomization: string | Kustomization): string {
  if (typeof kustomization === 'string') return join(DEPLOY, kustomization);
  const paths = (all: readonly string[] = []) => all.map((path) => relative(folder, join(DEPLOY, path)));
  const { resources, components } = kustomization;
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: paths(resources),
      components: paths(components),
    }),
  );
  return folder;
}
