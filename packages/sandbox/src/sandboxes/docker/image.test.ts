import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { buildCommand, defaultImage, imageName } from './image.ts';

test('the image has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(defaultImage()).toBe(`toolwright-guest:${version}`);
});

test.each([
  ['toolwright-guest:1', 'docker', 'toolwright-guest:1'],
  ['toolwright-guest:1', 'podman', 'localhost/toolwright-guest:1'],
  ['team/guest', 'podman', 'localhost/team/guest'],
  ['localhost/guest', 'podman', 'localhost/guest'],
  ['registry.example.com/guest:2', 'podman', 'registry.example.com/guest:2'],
  ['registry:5000/guest', 'podman', 'registry:5000/guest'],
] as const)('%s is for %s %s', (image, command, name) => {
  expect(imageName(image, partial({ command }))).toBe(name);
});

test('the build command names files of this package, relative to the current folder', () => {
  expect(buildCommand('guest:1', 'podman')).toBe(
    'podman build -f packages/sandbox/deploy/guest.Dockerfile -t guest:1 packages/sandbox/dist/guest',
  );
});
