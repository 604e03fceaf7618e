import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { dockerSocket, image, needsDocker } from '../fixtures/engines.ts';
import { needsPlainPython } from '../fixtures/plain-python.ts';
import { comparePythonFiles } from '../sandboxes/built-ins/python-files.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-python-files-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

needsPlainPython.describe('files of Python in a container', () => {
  needsDocker.it('are those of a real folder', async () => {
    await using sandbox = dockerSandbox({ socketPath: dockerSocket ?? '', image });
    await comparePythonFiles(sandbox, folder);
  });
});
