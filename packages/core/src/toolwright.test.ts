import { describe, expect, expectTypeOf, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../test/fixtures/warm-sandbox.ts';
import { memoryStore, type Store } from '../../storage/src/store.ts';
import { createToolwright } from './toolwright.ts';

const SESSION = { sessionId: 's', createSession: true } as const;

/** Returns a store in memory, and the number of times that it was written to and closed. */
function countingStore(): { store: Store; counts: { written: number; closed: number } } {
  const store = memoryStore();
  const counts = { written: 0, closed: 0 };
  return {
    counts,
    store: {
      ...store,
      put: async (namespace, changes, lifetime) => {
        counts.written++;
        return store.put(namespace, changes, lifetime);
      },
      [Symbol.asyncDispose]: async () => {
        counts.closed++;
      },
    },
  };
}

describe('a store', () => {
  test('of the caller holds the values of sessions, and stays open', async () => {
    const { store, counts } = countingStore();
    const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), store });
    await toolwright.execute('return 1', SESSION);
    expect(await toolwright.pii.redact('ada@example.com', { sessionId: 's' })).toBe('[EMAIL_1]');
    expect(counts.written).toBeGreaterThan(0);
    await toolwright.close();
    expect(counts.closed).toBe(0);

    await using next = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), store });
    expect(await next.execute('return 2')).toMatchObject({ status: 'completed', value: 2 });
  });

  test('that the Toolwright opened is closed with it', async () => {
    const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), store: 'sqlite' });
    await toolwright.execute('return 1', SESSION);
    expect(await toolwright.pii.redact('ada@example.com', { sessionId: 's' })).toBe('[EMAIL_1]');
    await toolwright.close();
    const late = await failureOf(toolwright.pii.redact('bob@example.com', { sessionId: 's' }));
    expect([late.code, late.message]).toEqual(['CLOSED', 'This store is closed.']);
  });
});

test('the type of a value is that of the call', async () => {
  await using toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs() });
  const result = await toolwright.execute<{ sum: number }>('return { sum: 1 + 2 }');
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  expectTypeOf(result.value).toEqualTypeOf<{ sum: number }>();
  expect(result.value.sum).toBe(3);

  const other = await toolwright.execute('return 1');
  if (other.status === 'completed') expectTypeOf(other.value).toBeUnknown();
});
