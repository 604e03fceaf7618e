import { expect, test } from 'vitest';
import { pageFor } from './panels.ts';

test('the policy comes before everything that loads, and scripts and styles have the nonce', () => {
  const html =
    '<html><head><link rel="stylesheet" href="./a.css"><script type="module" src="./a.js"></script></head></html>';
  const page = pageFor(html, {
    base: 'https://files.invalid/d/',
    cspSource: 'https://files.invalid',
    nonce: 'n1',
    path: '/ui/approvals',
  });
  expect(page).toMatch(
    /^<html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-n1';/,
  );
  expect(page).not.toMatch(/unsafe|connect-src|script-src [^;]*https/);
  expect(page).toContain('<base href="https://files.invalid/d/">');
  expect(page).toContain('<link nonce="n1" rel="stylesheet" href="./a.css"><script nonce="n1" type="module"');
});
