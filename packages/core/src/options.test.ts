import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { createToolwright } from './toolwright.ts';

it('options whose names are nearly right are told, and nothing runs', async () => {
  expect(await failureOf(createToolwright({ mcpServer: {} } as never))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The options of createToolwright are wrong. mcpServer: unknown key; did you mean "mcpServers"?',
  });
  await using toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs', own: 1 } as never);
  for (const [option, meant] of [
    ['sesion', 'session'],
    ['onlog', 'onLog'],
    ['limit', 'limits'],
  ] as const) {
    const { message } = await failureOf(toolwright.execute('return 1', { [option]: 'x' } as never));
    expect(message).toBe(`The options of execute are wrong. ${option}: unknown key; did you mean "${meant}"?`);
  }
  expect(await toolwright.execute('return 1', { mine: 1 } as never)).toMatchObject({ status: 'completed', value: 1 });
  expect((await failureOf(toolwright.search({ query: 'x' } as never))).message).toContain('a text, or a list of texts');
  const { message } = await failureOf(toolwright.execute('1', { limits: { timeoutMs: '10' } } as never));
  expect(message).toBe('limits.timeoutMs is a positive whole number, not "10".');
});
