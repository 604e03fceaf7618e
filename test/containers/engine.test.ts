import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { dockerSandbox, probeDocker } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { run, runForEver } from '../fixtures/container-programs.ts';
import { startDocker, type TestEngine } from '../fixtures/engine.ts';
import { dockerSocket, image, needsDocker } from '../fixtures/engines.ts';
import { importImage } from '../fixtures/guest-image.ts';
import { failureOf } from '../fixtures/server.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const socketPath = dockerSocket ?? '';

needsDocker.describe('an engine', () => {
  test('that answers and has the image is available', async () => {
    const probe = await probeDocker({ socketPath, image });
    expect(probe).toEqual({
      available: true,
      reason: expect.stringMatching(new RegExp(`^Docker \\d.* at ${socketPath}, image ${image}$`)),
    });
  });

  test('without the image: reports the command that builds it', async () => {
    const expected = {
      reason: `the image toolwright-guest:${version} does not exist`,
      fix: `run: docker build -f packages/sandbox/deploy/guest.Dockerfile -t toolwright-guest:${version} packages/sandbox/dist/guest`,
    };
    expect(await probeDocker({ socketPath })).toEqual({ available: false, ...expected });
    await using sandbox = dockerSandbox({ socketPath });
    const failure = await failureOf(run(sandbox, 'python', '1'));
    expect([failure.code, failure.message]).toEqual([
      'SANDBOX_UNAVAILABLE',
      `The sandbox "docker" is not available: ${expected.reason} (${expected.fix}).`,
    ]);
  });

  test('without the configured runtime is unavailable', async () => {
    const probe = await probeDocker({ socketPath, image, runtime: 'kata' });
    expect([probe.available, probe.reason]).toEqual([false, expect.stringMatching(/has no runtime "kata"$/)]);
    await using sandbox = dockerSandbox({ socketPath, image, runtime: 'kata' });
    const failure = await failureOf(run(sandbox, 'javascript', 'return 1'));
    expect([failure.code, failure.message]).toEqual([
      'SANDBOX_UNAVAILABLE',
      expect.stringMatching(/Unknown runtime specified kata/),
    ]);
  });
});

needsDocker.describe('an engine that stops while a program runs', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startDocker();
  });
  afterAll(() => engine.stop());

  test('loses the program, is unavailable, and serves again after its restart', async () => {
    const { tar } = inject('containers');
    await importImage(engine.socketPath, image, tar);
    await using sandbox = dockerSandbox({ socketPath: engine.socketPath, image });
    const running = failureOf((await runForEver(sandbox)).outcome);
    await engine.stop();
    expect([(await running).code, (await running).message]).toEqual([
      'SANDBOX_LOST',
      expect.stringMatching(/engine stopped|ended early/),
    ]);
    const refused = await failureOf(run(sandbox, 'javascript', 'return 1'));
    expect([refused.code, refused.message]).toEqual([
      'SANDBOX_UNAVAILABLE',
      expect.stringMatching(/(no container engine answers|stopped answering).*\(start .*\)\.$/),
    ]);
    await using again = await startDocker(engine.folder);
    await importImage(again.socketPath, image, tar);
    expect(await run(sandbox, 'javascript', 'return 1')).toEqual({ status: 'completed', value: '1' });
  });
});

describe('no engine', () => {
  test('without any engine, the message names the fix', async () => {
    const nowhere = join(process.cwd(), 'no-such.sock');
    const probe = await probeDocker({ socketPath: nowhere });
    expect(probe.available).toBe(false);
    expect(probe.reason).toBe(`no container engine answers (${nowhere}: connect ENOENT ${nowhere})`);
    expect(probe.fix).toMatch(/start Docker or Podman/);
  });
});
