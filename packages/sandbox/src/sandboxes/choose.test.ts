import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { SandboxError } from '../errors.ts';
import { type ChosenSandbox, openSandboxes, SANDBOXES, type SandboxChoice } from './choose.ts';
import type { Sandbox } from './sandbox.ts';

async function chooseSandbox(sandbox: string, choices: readonly SandboxChoice[] = SANDBOXES): Promise<ChosenSandbox> {
  return openSandboxes({ sandbox, memoryBytes: 1 }, choices).for('javascript');
}

function choice(name: string, available: boolean, fix?: string): SandboxChoice {
  const sandbox: Sandbox = {
    name,
    isolation: 'none',
    languages: ['javascript'],
    run: () => Promise.resolve({ status: 'completed' }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    name,
    languages: ['javascript'],
    auto: true,
    probe: async () => ({ available, reason: available ? `${name} is there` : `no ${name}`, ...(fix ? { fix } : {}) }),
    create: () => sandbox,
  };
}

test('auto chooses the first available sandbox and returns the reason', async () => {
  const { sandbox, reason, warning } = await chooseSandbox('auto', [choice('a', true), choice('b', true)]);
  expect([sandbox.name, reason, warning]).toEqual(['a', 'the strongest available: a is there', undefined]);
});

test('auto warns when a stronger sandbox does not work, with the cause and the fix', async () => {
  const choices = [choice('a', false, 'install a'), choice('b', true), choice('c', true)];
  const { sandbox, reason, warning } = await chooseSandbox('auto', choices);
  expect([sandbox.name, reason]).toEqual(['b', 'the strongest available: b is there']);
  expect(warning).toBe(
    'Programs run in a weaker sandbox, because the best one does not work here. a: no a (install a)',
  );
});

test('auto chooses no weaker sandbox while the machine is too busy to try the strongest, and tries again', async () => {
  let isBusy = true;
  const strong: SandboxChoice = {
    ...choice('a', true),
    async probe(guest) {
      if (isBusy) throw new SandboxError('BUSY', 'No free file descriptor.');
      return choice('a', true).probe(guest);
    },
  };
  const set = openSandboxes({ sandbox: 'auto', memoryBytes: 1 }, [strong, choice('b', true)]);
  expect((await failureOf(set.for('javascript'))).code).toBe('BUSY');
  isBusy = false;
  expect((await set.for('javascript')).sandbox.name).toBe('a');
});

test('a sandbox that could not be created is created by the next call', async () => {
  const working = choice('a', true);
  let attempts = 0;
  const flaky: SandboxChoice = {
    ...working,
    async create(options) {
      if (attempts++ === 0) throw new SandboxError('BUSY', 'No free file descriptor.');
      return working.create(options);
    },
  };
  const set = openSandboxes({ sandbox: 'auto', memoryBytes: 1 }, [flaky]);
  expect((await failureOf(set.for('javascript'))).code).toBe('BUSY');
  expect((await set.for('javascript')).sandbox.name).toBe('a');
});

test('a named sandbox is used', async () => {
  const { sandbox, reason } = await chooseSandbox('c', [choice('a', true), choice('c', true)]);
  expect([sandbox.name, reason]).toEqual(['c', 'chosen by name: c is there']);
});

describe('one execution may name a sandbox', () => {
  const choices = [choice('a', true), choice('b', false), choice('c', true)];
  const nameOf = async (sandbox: string, name?: string) =>
    (await openSandboxes({ sandbox, memoryBytes: 1 }, choices).for('javascript', name)).sandbox.name;

  test('if the configuration is auto', async () => {
    expect([await nameOf('auto'), await nameOf('auto', 'c'), await nameOf('auto', 'auto')]).toEqual(['a', 'c', 'a']);
    expect((await failureOf(nameOf('auto', 'b'))).message).toBe('The sandbox "b" is not available: no b');
    expect((await failureOf(nameOf('auto', 'd'))).code).toBe('CONFIG_INVALID');
  });

  test('but not another one than the configured sandbox', async () => {
    expect(await nameOf('c', 'c')).toBe('c');
    for (const other of ['a', 'auto', 'd']) {
      expect((await failureOf(nameOf('c', other))).message).toContain('The configuration allows only the sandbox "c".');
    }
  });
});

test('the settings of a sandbox reach its probe and its factory', async () => {
  const reported: unknown[] = [];
  const plain = choice('c', true);
  const listening: SandboxChoice = {
    ...plain,
    probe: (guest, settings) => {
      reported.push(settings);
      return plain.probe(guest);
    },
    create: (options) => {
      reported.push(options);
      return plain.create(options);
    },
  };
  const settings = { docker: { image: 'own-image', runtime: 'runsc' } };
  await openSandboxes({ sandbox: 'c', memoryBytes: 1, settings }, [listening]).for('javascript');
  expect(reported).toEqual([settings, { ...settings, memoryBytes: 1 }]);
});

test('an unavailable named sandbox is never replaced', async () => {
  const failure = await failureOf(chooseSandbox('a', [choice('a', false, 'apt install a'), choice('b', true)]));
  expect([failure.code, failure.message]).toEqual([
    'SANDBOX_UNAVAILABLE',
    'The sandbox "a" is not available: no a (apt install a)',
  ]);
});

test('auto without any available sandbox reports all of them', async () => {
  const failure = await failureOf(chooseSandbox('auto', [choice('a', false, 'apt install a'), choice('b', false)]));
  expect([failure.code, failure.message]).toEqual([
    'SANDBOX_UNAVAILABLE',
    'No sandbox for javascript is available. a: no a (apt install a); b: no b',
  ]);
});

test.each(['quickjss', '', 'Auto', '__proto__'])(
  '%j is not a sandbox, and the message lists all sandboxes',
  async (name) => {
    const failure = await failureOf(chooseSandbox(name));
    expect([failure.code, failure.message]).toEqual([
      'CONFIG_INVALID',
      `There is no sandbox "${name}". The sandboxes are: auto, jail, quickjs, pyodide, docker, microsandbox, kubernetes.`,
    ]);
  },
);
