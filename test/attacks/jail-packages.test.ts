import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

/** A layer with one package, and the libraries of the system that packages need. */
const packages = mkdtempSync(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'toolwright-layer-'));
chmodSync(packages, 0o755);
writeFileSync(join(packages, 'tw_module.py'), 'VALUE = 1\n');
afterAll(() => rmSync(packages, { recursive: true, force: true }));

await attackSandbox({
  name: 'jail-packages',
  area: 'jail',
  oneOf: 40,
  languages: ['python'],
  probe: probeJail,
  create: (pool) => jailSandbox({ ...pool, packages }),
  leftovers: () => childCommands('bwrap'),
});
