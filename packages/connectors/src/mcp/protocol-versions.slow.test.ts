import { expect, test } from 'vitest';
import { connectorMaker } from '../../../../test/fixtures/connectors.ts';
import { failureOf, fixture, toolNames, until } from '../../../../test/fixtures/server.ts';

const connector = connectorMaker();

test('2024-11-05, with errors for unknown methods', async () => {
  const old = connector('old', fixture('old-2024'));
  expect(await old.call('age', {})).toBe('old');
  expect(old.status()).toEqual({ state: 'ready', starts: 1, protocol: '2024-11-05' });
});

test('2024-11-05, with silence for unknown methods', async () => {
  const silent = connector('silent', fixture('old-2024', 'silent'));
  expect(await silent.call('age', {})).toBe('old');
  expect(silent.status()).toEqual({ state: 'ready', starts: 1, protocol: '2024-11-05' });
});

test('starts a server again that exits after an unknown first message', async () => {
  const touchy = connector('touchy', fixture('dies', 'probe'));
  expect(await toolNames(touchy)).toEqual(['die', 'live']);
  expect(touchy.status()).toEqual({ state: 'ready', starts: 2, protocol: '2025-06-18' });
});

test('2026-07-28', async () => {
  const modern = connector('modern', fixture('modern'));
  expect(await modern.call('add', { a: 1, b: 2 })).toEqual({ sum: 3 });
  expect(modern.status()).toMatchObject({ state: 'ready', protocol: '2026-07-28' });
  expect(modern.description).toBe('Adds numbers.');
});

test('2026-07-28: subscribes to changes of the tools', async () => {
  const modern = connector('modern', fixture('modern'));
  let reported = 0;
  modern.onToolsChanged(() => reported++);
  expect(await toolNames(modern)).not.toContain('grown');
  await modern.call('grow', {});
  await until(() => reported > 0);
  expect(await toolNames(modern)).toContain('grown');
});

test('2026-07-28: a call that takes too long is cancelled', async () => {
  const modern = connector('modern', fixture('modern'));
  expect((await failureOf(modern.call('hang', {}, { timeoutMs: 200 }))).code).toBe('TOOL_TIMEOUT');
  expect(await modern.call('cancelled', {})).toEqual(['hang']);
});

test('2026-07-28: a tool that asks the user for input fails with a reason', async () => {
  const failure = await failureOf(connector('modern', fixture('modern')).call('ask', {}));
  expect(failure.code).toBe('TOOL_FAILED');
  expect(failure.message).toContain('ask on modern asks for input from a user, which is not supported.');
});

test('2026-07-28: a server that starts slower than the probe timeout', async () => {
  const modern = connector('modern', fixture('modern', '1800'));
  expect(await modern.call('add', { a: 1, b: 2 })).toEqual({ sum: 3 });
  expect(modern.status().protocol).toBe('2026-07-28');
});

test('the protocol can be fixed', async () => {
  const modern = connector('modern', { ...fixture('modern'), protocol: 'legacy' });
  expect((await failureOf(modern.tools())).code).toBe('UPSTREAM_UNAVAILABLE');
  const old = connector('old', { ...fixture('old-2024'), protocol: 'modern' });
  expect((await failureOf(old.tools())).message).toContain('2026-07-28');
});
