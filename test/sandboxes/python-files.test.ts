import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { pyodideSandbox } from '../../packages/sandbox/src/sandboxes/pyodide.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { needsPlainPython } from '../fixtures/plain-python.ts';
import { comparePythonFiles } from './built-ins/python-files.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-python-files-')));
const probe = await probeJail('python');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes an archive of 600 KB whose files have 600 MiB. */
const BOMB = `import zipfile
with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
    for index in range(3):
        with bomb.open(f"{index}.bin", "w") as file:
            for _ in range(200): file.write(bytes(1 << 20))`;

needs(
  'jail',
  missingSandbox(probe),
).it('a zip bomb is an error of space or of memory, and no file is lost', async () => {
  await using toolwright = await createToolwright({ dataDir: mkdtempSync(join(folder, 'bomb-')), sandbox: 'jail' });
  const { id: sessionId } = await toolwright.sessions.create({});
  const run = (code: string) =>
    toolwright.execute(code, { language: 'python', sessionId, limits: { timeoutMs: 120_000 } });
  expect(await run(`open("kept.txt", "w").write("safe")\n${BOMB}`)).toMatchObject({ status: 'completed' });
  const open = 'import os, zipfile\nbomb = zipfile.ZipFile("bomb.zip")\n';
  expect(await run(`${open}bomb.extractall("out")`)).toMatchObject({
    status: 'failed',
    error: {
      code: 'ENOSPC',
      message: expect.stringMatching(/The files of the program have no more space: remove some/),
    },
  });
  expect(await run(`${open}bomb.read("0.bin")`)).toMatchObject({ status: 'stopped', limit: 'memory' });
  const rest = 'result = [open("kept.txt").read(), os.path.exists("out/2.bin")]';
  expect(await run(`import os\n${rest}`)).toMatchObject({ value: ['safe', false] });
});

needsPlainPython.describe('files of Python are those of a real folder', () => {
  needs('jail', missingSandbox(probe)).it('in the jail', async () => {
    await using sandbox = await jailSandbox();
    await comparePythonFiles(sandbox, folder);
  });

  it('in Pyodide', async () => {
    await using sandbox = await pyodideSandbox();
    await comparePythonFiles(sandbox, folder);
  });
});
