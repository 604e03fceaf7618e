import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { connectorMaker } from '../../../../test/fixtures/connectors.ts';
import { failureOf, fixture, temporaryFile, toolNames, until } from '../../../../test/fixtures/server.ts';

const connector = connectorMaker();
afterEach(() => void vi.unstubAllEnvs());

test('reports a missing command or folder', async () => {
  const missing = connector('x', { command: 'no-such-command-here' });
  const failure = await failureOf(missing.tools());
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_UNAVAILABLE',
    `x could not start: command 'no-such-command-here' not found: install it or fix mcpServers.x.command.`,
  ]);
  expect(missing.status()).toEqual({ state: 'failed', starts: 1, problem: failure.message });
  const line = await failureOf(connector('z', { command: 'npx -y @no/such-server' }).tools());
  expect(line.message).toBe(
    "z could not start: the program 'npx -y @no/such-server' does not exist: move its arguments to the list mcpServers.z.args.",
  );
  const nowhere = await failureOf(connector('y', { ...fixture('basic'), cwd: '/no/such/folder' }).tools());
  expect(nowhere.message).toContain('the folder /no/such/folder does not exist: create it or fix mcpServers.y.cwd');
});

test('quotes a server that exits at its start, without the secrets in its environment', async () => {
  const config = { ...fixture('dies', 'start'), env: { API_TOKEN: 's3cr3t-t0ken' } };
  const failure = await failureOf(connector('dies', config).tools());
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'dies could not start: its process ended before the end of the handshake. Its process ended with exit code 3.' +
      ` Its stderr ends with:\nfatal: API_TOKEN '[redacted]' is not valid`,
  ]);
});

test('ends a server that never answers after startTimeoutMs', async () => {
  const failure = await failureOf(connector('h', { ...fixture('hangs', 'start'), startTimeoutMs: 400 }).tools());
  expect(failure.message).toBe(
    'h could not start: it did not answer the handshake within 400 ms.' +
      ' Run the command by hand, or raise mcpServers.h.startTimeoutMs.',
  );
});

test('skips lines that are not JSON-RPC, and quotes them when the handshake fails', async () => {
  const garbage = connector('garbage', fixture('garbage'));
  expect(await toolNames(garbage)).toEqual(['fine']);
  expect(await garbage.call('fine', {})).toBe('fine');
  expect(await garbage.call('fine', {})).toBe('fine');
  const config = { ...fixture('garbage', 'only'), startTimeoutMs: 400, env: { KEY: 'hunter22-secret' } };
  const failure = await failureOf(connector('only', config).tools());
  expect(failure.message).toContain(
    `It printed 3 lines that are not JSON-RPC to stdout, e.g. 'Starting up, key=[redacted] ...'.`,
  );
});

test('a crash fails the running call without a repetition, and the next call starts the server again', async () => {
  const startsFile = temporaryFile();
  const dies = connector('dies', { ...fixture('dies'), env: { STARTS_FILE: startsFile } });
  const first = await dies.call('live', {});
  const failure = await failureOf(dies.call('die', {}));
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'dies died during the call of die: the call may have taken effect, and was not repeated.' +
      ' Its process ended with exit code 1. Its stderr ends with:\nsegmentation fault, so to speak',
  ]);
  expect(dies.status()).toMatchObject({ state: 'failed', starts: 1 });
  const pids = await Promise.all([dies.call('live', {}), dies.call('live', {})]);
  expect(pids[0]).toBe(pids[1]);
  expect(pids[0]).not.toBe(first);
  expect(dies.status()).toMatchObject({ state: 'ready', starts: 2 });
  expect(readFileSync(startsFile, 'utf8').trim().split('\n')).toHaveLength(2);
});

test('a crash fails all running calls at once', async () => {
  const dies = connector('dies', fixture('dies'));
  await dies.tools();
  const failures = await Promise.all([1, 2, 3].map(() => failureOf(dies.call('die', {}))));
  expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('UPSTREAM_UNAVAILABLE'));
});

test('notices a server that exits while idle, and informs listeners after its restart', async () => {
  const dies = connector('dies', fixture('dies'));
  let reported = 0;
  dies.onToolsChanged(() => reported++);
  process.kill(Number(await dies.call('live', {})), 'SIGKILL');
  await until(() => dies.status().state === 'failed');
  expect(dies.status().problem).toBe('dies closed the connection. Its process ended with signal SIGKILL.');
  await dies.tools();
  expect(reported).toBe(1);
});

test('delays repeated starts, and fails calls fast during a long delay', async () => {
  const startsFile = temporaryFile();
  const config = { ...fixture('dies', 'start'), protocol: 'legacy' as const, env: { STARTS_FILE: startsFile } };
  const dies = connector('dies', config);
  const start = performance.now();
  let failure = await failureOf(dies.tools());
  while (failure.details.retryMs === undefined) failure = await failureOf(dies.tools());
  // 100 + 200 + 400 + 800 + 1600 ms, ± 25 %
  expect(performance.now() - start).toBeGreaterThan(2_000);
  expect(failure.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(failure.message).toMatch(/^dies failed [56] times in a row\. The next attempt is in \d+ ms\. dies could not/);
  expect(readFileSync(startsFile, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(6);
});

test('the server receives its own variables and no others of Toolwright', async () => {
  vi.stubEnv('TOOLWRIGHT_TEST_SECRET', 'for us only');
  const basic = connector('basic', { ...fixture('basic'), env: { GIVEN: 'yes' } });
  const environment = await basic.call('environment', {});
  expect(environment).toMatchObject({ GIVEN: 'yes', PATH: process.env.PATH });
  expect(environment).not.toHaveProperty('TOOLWRIGHT_TEST_SECRET');
});
