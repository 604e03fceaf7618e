import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { needsPostgres, startPostgres } from '../../../../../test/fixtures/postgres.ts';
import { clusterFindings } from './cluster.ts';

it('reports nothing for the store of one machine, and Redis where it is set', async () => {
  expect(await clusterFindings(partial({ store: 'sqlite', redis: undefined }))).toEqual([]);
  const [finding] = await clusterFindings(partial({ store: 'postgres://localhost/any', redis: 'redis://localhost' }));
  expect(finding).toEqual({ subject: 'cluster', ok: true, text: 'state in PostgreSQL, messages over Redis' });
});

needsPostgres.it(
  'reports whether notifications of PostgreSQL arrive, and a database that does not answer',
  async () => {
    const postgres = await startPostgres();
    try {
      const cluster = { store: await postgres.create(), redis: undefined };
      const text = 'state and messages in PostgreSQL; Redis is optional';
      expect(await clusterFindings(partial(cluster))).toEqual([{ subject: 'cluster', ok: true, text }]);
      await postgres.kill();
      expect(await clusterFindings(partial(cluster))).toEqual([
        { subject: 'cluster', ok: false, text: expect.stringMatching(/^PostgreSQL at .* failed/) },
      ]);
    } finally {
      await postgres.stop();
    }
  },
);
