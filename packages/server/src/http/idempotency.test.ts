import { expect, test } from 'vitest';
import { createIdempotency, KEY_LIFETIME_MS, MAX_USER_CHARACTERS, MAX_USER_KEYS } from './idempotency.ts';

const ask = { user: 'ada', key: 'k', request: { a: 1 }, meanwhile: 'refuse' } as const;

test('work without a key runs each time', async () => {
  const { once } = createIdempotency();
  let done = 0;
  for (let time = 0; time < 2; time++) await once({ ...ask, key: undefined }, async () => ++done);
  expect(done).toBe(2);
});

test('a key belongs to one request of one user', async () => {
  const { once } = createIdempotency();
  expect(await once(ask, async () => 1)).toEqual({ value: 1, isReplay: false });
  expect(await once(ask, async () => 2)).toEqual({ value: 1, isReplay: true });
  expect(await once({ ...ask, user: 'bob' }, async () => 3)).toEqual({ value: 3, isReplay: false });
  await expect(once({ ...ask, request: { a: 2 } }, async () => 4)).rejects.toMatchObject({ status: 422 });
});

test('a copy of a running request waits or is refused', async () => {
  const { once } = createIdempotency();
  let end: (value: number) => void = () => undefined;
  const first = once(
    ask,
    () =>
      new Promise<number>((resolve) => {
        end = resolve;
      }),
  );
  await expect(once(ask, async () => 2)).rejects.toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
  const waiting = once({ ...ask, meanwhile: 'wait' }, async () => 3);
  end(1);
  expect([await first, await waiting]).toEqual([
    { value: 1, isReplay: false },
    { value: 1, isReplay: true },
  ]);
});

test('a key is free again after its work failed, and after its lifetime', async () => {
  let now = 0;
  const { once } = createIdempotency(() => now);
  await expect(once(ask, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
  expect((await once(ask, async () => 1)).value).toBe(1);
  now = KEY_LIFETIME_MS + 1;
  expect((await once(ask, async () => 2)).value).toBe(2);
});

test('a user with too many keys loses the oldest one, and other users keep theirs', async () => {
  const { once } = createIdempotency();
  await once({ ...ask, user: 'bob' }, async () => 'of bob');
  for (let index = 0; index <= MAX_USER_KEYS; index++) await once({ ...ask, key: `k${index}` }, async () => index);
  expect((await once({ ...ask, key: 'k1' }, async () => 'new')).value).toBe(1);
  expect((await once({ ...ask, key: 'k0' }, async () => 'new')).value).toBe('new');
  expect((await once({ ...ask, user: 'bob' }, async () => 'new')).value).toBe('of bob');
});

test('a user with too large answers loses the oldest ones, and other users keep theirs', async () => {
  const { once } = createIdempotency();
  const large = 'x'.repeat(MAX_USER_CHARACTERS / 4);
  await once({ ...ask, user: 'bob' }, async () => 'of bob');
  for (let index = 0; index < 5; index++) await once({ ...ask, key: `k${index}` }, async () => large);
  expect((await once({ ...ask, key: 'k4' }, async () => 'new')).isReplay).toBe(true);
  expect((await once({ ...ask, key: 'k0' }, async () => 'new')).isReplay).toBe(false);
  expect((await once({ ...ask, user: 'bob' }, async () => 'new')).isReplay).toBe(true);
});
