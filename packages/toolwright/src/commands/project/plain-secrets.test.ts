// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations
import { expect, test } from 'vitest';
import { plainSecrets } from './plain-secrets.ts';

test('plain secrets are found by the names of variables and headers, and references are none', () => {
  const env = { GITHUB_TOKEN: 'ghp_0123456789', TOKEN: '${TOKEN}', MODE: 'a-long-value', AUTH_TOKEN: 'none' };
  const headers = { Authorization: 'Bearer abcdef', 'X-Api-Key': '${keychain:key}', 'X-Team': 'platform-team' };
  expect(plainSecrets({ command: 'x', env, headers })).toEqual(['env.GITHUB_TOKEN', 'headers.Authorization']);
  expect([plainSecrets({ url: 'https://a.example' }), plainSecrets('x')]).toEqual([[], []]);
});
