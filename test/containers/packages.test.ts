import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { buildPackages, openPackages, resolvePackages } from '../../packages/sandbox/src/packages/packages.ts';
import { runPackage } from '../../packages/sandbox/src/packages/run-package.ts';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { dockerSocket, image, needsDocker } from '../fixtures/engines.ts';
import { needs } from '../fixtures/needs.ts';
import { missingPip, packageMirror } from '../fixtures/package-mirror.ts';

const MEMORY = { memoryBytes: 128 * 1024 * 1024 };
const mirror = packageMirror();
afterAll(() => mirror[Symbol.dispose]());

async function layer(): Promise<string> {
  mirror.addWheels({ name: 'tw_shapes', version: '1', files: { 'tw_shapes.py': 'AREA = 6\n' } });
  const sources = { mirror: mirror.folder };
  const requests = { python: ['tw-shapes'], typescript: [] };
  const lock = await resolvePackages(requests, { last: { format: 1 }, sources, isUpgrade: false });
  await buildPackages(lock, mirror.layers, sources);
  return (await openPackages(lock, mirror.layers)).python ?? '';
}

needs('python', missingPip()).describe('Python packages in a container', () => {
  needsDocker.it('are imported, and cannot be changed; another Python refuses them with the reason', async () => {
    const packages = await layer();
    const code = `
import tw_shapes
try:
    open(tw_shapes.__file__, "a")
    changed = True
except OSError:
    changed = False
result = [tw_shapes.AREA, tw_shapes.__file__, changed]`;
    await using sandbox = dockerSandbox({ socketPath: dockerSocket ?? '', image, packages });
    const program = { guest: 'python', code } as const;
    expect(await runPackage(sandbox, program, MEMORY)).toEqual([6, '/toolwright/packages/tw_shapes.py', false]);

    const version = join(packages, 'toolwright-python');
    chmodSync(version, 0o644);
    writeFileSync(version, '3.2');
    await using other = dockerSandbox({ socketPath: dockerSocket ?? '', image, packages });
    await expect(runPackage(other, program, MEMORY)).rejects.toThrow(
      /built for Python 3\.2, and this sandbox has 3\.\d+/,
    );
  });
});
