import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { needsRedis, startRedis } from '../../../../test/fixtures/redis.ts';
import { redisStore } from '../../../storage/src/redis.ts';
import { createKnownValueRedactor } from '../redaction/known-value-redactor.ts';
import { restore } from '../redaction/restore.ts';
import { newKeyring } from './keys/master-key.ts';
import { openVault } from './vault.ts';

const types = new Set(['EMAIL']);
const RECOVERY_MS = 20_000;

needsRedis.describe('a vault whose server becomes unreachable', () => {
  it('rejects meanwhile; after a loss of data it refuses old placeholders, which never mean another value', async () => {
    const redis = await startRedis();
    try {
      await using store = redisStore({ url: redis.url, timeoutMs: 2_000 });
      const vault = openVault({ store, keys: newKeyring(), user: 'ada', session: 's1' });
      const knownValueRedactor = createKnownValueRedactor(vault);
      const options = { vault, types, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
      expect(await vault.allocate([{ type: 'EMAIL', text: 'ada@example.com' }])).toEqual(['EMAIL_1']);
      expect(await restore('[EMAIL_1]', options)).toBe('ada@example.com');

      await redis.kill();
      const uses = [
        () => restore('[EMAIL_1]', options),
        () => vault.allocate([{ type: 'EMAIL', text: 'bob@example.com' }]),
        () => knownValueRedactor.text('anything'),
      ];
      for (const use of uses) await expect(use()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

      await redis.restart();
      const deadline = performance.now() + RECOVERY_MS;
      let names: string[] = [];
      while (names.length === 0 && performance.now() < deadline) {
        names = await vault
          .allocate([{ type: 'EMAIL', text: 'bob@example.com' }])
          .catch(() => sleep(50).then(() => []));
      }
      expect(names).toEqual([expect.stringMatching(/^EMAIL_[1-9]\d{6}$/)]);
      await expect(restore('[EMAIL_1]', options)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
      expect(await restore(`[${names[0]}]`, options)).toBe('bob@example.com');
    } finally {
      await redis.stop();
    }
  });
});
