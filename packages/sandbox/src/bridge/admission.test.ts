import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createAdmission } from './admission.ts';

it('refuses requests over the memory limit until earlier ones have their answers', async () => {
  const { enter, leave } = createAdmission();
  const large = { value: null, bytes: 20_000_000 };
  for (let request = 0; request < 6; request++) enter(large);
  expect(await failureOf((async () => enter(large))())).toMatchObject({
    code: 'BUSY',
    message: 'More than 134217728 bytes of requests are pending. Await some before you send more.',
  });
  leave(large);
  expect(enter(large)).toBe(large);
});

it('accepts one request of any size', () => {
  const large = { value: null, bytes: 200_000_000 };
  expect(createAdmission().enter(large)).toBe(large);
});
