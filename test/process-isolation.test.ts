import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFlags } from '../packages/sandbox/src/sandboxes/quickjs.ts';

/**
 * Tests the second layer of the quickjs sandbox without the first one: plain JavaScript in a process like that of a
 * guest. It stands for a program that has left the interpreter.
 */
let folder: string;
let secretFile: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-layers-'));
  secretFile = join(folder, 'secret.txt');
  writeFileSync(secretFile, 'the-planted-secret');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs code in a process with the sandbox's flags and environment, and returns its output. */
function inBareProcess(code: string): string {
  const attempt = `try { console.log('did', (() => { ${code} })()); } catch (error) { console.log(error.code ?? error.message); }`;
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeFlags(), '-e', attempt], {
    cwd: '/',
    env: {},
    timeout: 20_000,
  });
  return `${stdout}${stderr}`.trim();
}

describe('the process of a quickjs guest, without the interpreter', () => {
  it('reads no file of the host', () => {
    expect(inBareProcess(`return require('fs').readFileSync(${JSON.stringify(secretFile)}, 'utf8')`)).toBe(
      'ERR_ACCESS_DENIED',
    );
    expect(inBareProcess(`return require('fs').readFileSync('/etc/passwd', 'utf8')`)).toBe('ERR_ACCESS_DENIED');
    expect(inBareProcess(`return require('fs').readdirSync(${JSON.stringify(folder)})`)).toBe('ERR_ACCESS_DENIED');
  });

  it('writes and deletes no file', () => {
    expect(inBareProcess(`return require('fs').writeFileSync(${JSON.stringify(join(folder, 'new'))}, '')`)).toBe(
      'ERR_ACCESS_DENIED',
    );
    expect(inBareProcess(`return require('fs').rmSync(${JSON.stringify(secretFile)})`)).toBe('ERR_ACCESS_DENIED');
  });

  it('starts no process and no thread', () => {
    expect(inBareProcess(`return require('child_process').spawnSync('id').error.code`)).toContain('ERR_ACCESS_DENIED');
    expect(inBareProcess(`return new (require('worker_threads').Worker)('1', { eval: true })`)).toBe(
      'ERR_ACCESS_DENIED',
    );
  });

  it('has an empty environment', () => {
    expect(inBareProcess('return JSON.stringify(Object.keys(process.env))')).toBe('did []');
  });

  it('runs code at all, so that the refusals above are meaningful', () => {
    expect(inBareProcess('return 1 + 1')).toBe('did 2');
  });
});
