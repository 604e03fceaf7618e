import { expect, test } from 'vitest';
import { basePathOf, pageFor } from './page.ts';

test.each([
  [[undefined], '/'],
  [['/'], '/'],
  [['/tools/toolwright'], '/tools/toolwright/'],
  [['/tw/', '/other'], '/tw/'],
  [['//evil.example', '/own'], '/own/'],
  [['/a"><script>'], '/'],
  [['/../x'], '/'],
  [['https://evil.example/'], '/'],
])('of the prefixes %j, the base is %s', (prefixes, base) => {
  expect(basePathOf(...prefixes)).toBe(base);
});

test('the page has its base before all links', () => {
  expect(pageFor('<html><head><link href="./a.css"></head></html>', '/tw/', 'n1')).toBe(
    '<html><head><base href="/tw/"><meta property="csp-nonce" nonce="n1"><link href="./a.css"></head></html>',
  );
});
