import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';
import { descriptorLimit, descriptorShortage, isDescriptorShortage } from './descriptors.ts';
import { runProgram, startProcess } from './start-process.ts';

// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../../../.toolwright/test/few-${process.pid}.mjs`, import.meta.url));
const LIMIT = 200;

beforeAll(() =>
  bundleProgram(fileURLToPath(new URL('../../../../test/fixtures/few-descriptors.ts', import.meta.url)), host),
);
afterAll(() => rmSync(host, { force: true }));

test('a program that does not exist is an event for the listener', async () => {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    startProcess('/no/such/program', [], {}, resolve);
  });
  expect(error.code).toBe('ENOENT');
  await expect(runProgram('/no/such/program', [], {})).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a lack of descriptors is found in the causes of an error, and its message has the limit', () => {
  const few = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
  expect(isDescriptorShortage(new Error('x', { cause: new Error('y', { cause: few }) }))).toBe(true);
  expect(isDescriptorShortage(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe(false);
  const { code, message, details } = descriptorShortage(few);
  expect([code, details]).toEqual(['BUSY', { resource: 'descriptors', limit: descriptorLimit() }]);
  expect(message).toContain('no free file descriptor');
});

// With some descriptors left, a part of a start succeeds before it fails.
test.runIf(process.platform === 'linux').each([0, 3, 9, 20, 40])(
  'with %i free descriptors nothing ends this process, stays open or becomes a weaker sandbox',
  async (free) => {
    const words = ['-c', `ulimit -n ${LIMIT}; exec "$0" "$@"`, process.execPath, host, String(free)];
    const { stdout } = await promisify(execFile)('/bin/sh', words);
    const { few, later, left } = JSON.parse(stdout);
    expect([later.process, later.worker, later.sandbox, left]).toEqual(['works', 'works', 'works', 0]);
    for (const { process: started, worker, sandbox, name } of few) {
      expect(started).toMatch(/^(BUSY|works)$/);
      expect(worker).toMatch(/^(LANGUAGE_SERVICE_BUSY|works)$/);
      expect([sandbox, name]).toEqual(sandbox === 'works' ? ['works', later.name] : ['BUSY', 'none']);
      if (free === 0) expect([started, worker]).toEqual(['BUSY', 'LANGUAGE_SERVICE_BUSY']);
    }
  },
);
