import { expect, test } from 'vitest';
import { parseConfig } from '../config.ts';

test('no other origin may call the server by default', () => {
  expect(parseConfig({}, { env: {} }).cors).toEqual({ origins: [], credentials: false });
});

test('the environment has a list of origins', () => {
  const env = { TOOLWRIGHT_CORS_ORIGINS: 'https://app.example, http://localhost:5173' };
  expect(parseConfig({}, { env }).cors.origins).toEqual(['https://app.example', 'http://localhost:5173']);
});

test.each([
  '*',
  'null',
  'app.example',
  'https://app.example/',
  'https://*.app.example',
  'https://App.example',
  'file://x',
])('%s is not an exact origin', (origin) => {
  expect(() => parseConfig({ cors: { origins: [origin], credentials: true } }, { env: {} })).toThrow(
    'cors.origins[0]: expected an exact origin such as https://app.example, without a path; not "*"',
  );
});
