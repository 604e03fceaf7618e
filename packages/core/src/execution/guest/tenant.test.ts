import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../../toolwright.ts';

it('users never share a tenant, with a session or without', async () => {
  const real = warmQuickjs();
  const tenants: (string | undefined)[] = [];
  await using toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: {
      ...real,
      run: (program, options) => {
        tenants.push(options.tenant);
        return real.run(program, options);
      },
    },
  });
  const { id: sessionId } = await toolwright.sessions.create({ userId: 'ada' });
  for (const whose of [{ userId: 'ada' }, { userId: 'bob' }, { userId: 'ada', sessionId }, {}, { userId: 'ada' }]) {
    expect(await toolwright.execute('return 1', whose)).toMatchObject({ status: 'completed', value: 1 });
  }
  const [ada, bob, adaInSession, local, adaAgain] = tenants;
  expect(new Set([ada, bob, adaInSession, local]).size).toBe(4);
  expect(adaAgain).toBe(ada);
});
