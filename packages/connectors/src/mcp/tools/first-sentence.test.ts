import { expect, test } from 'vitest';
import { firstSentence } from './first-sentence.ts';

test.each([
  ['Manages issues. Call search first.', 'Manages issues.'],
  ['# Playwright MCP\n\nControls a browser, e.g. to test a page. More.', 'Controls a browser, e.g. to test a page.'],
  ['Sentry\n======\nFinds errors in\nyour projects.\nThen more.', 'Finds errors in your projects.'],
  [
    '---\nname: x\n---\n## Overview\n**Purpose**\n> Reads `files` of [the disk](https://example.com/a).',
    'Reads files of the disk.',
  ],
  ['Available tools:\n\n- **search** finds pages\n- other', 'search finds pages'],
  [
    '```json\n{"a": "b. C"}\n```\n<important>\nUse *this* server for snake_case names!\n</important>',
    'Use this server for snake_case names!',
  ],
  [
    '| a | b |\n|---|---|\n\nVersion 2.1 of the API, see api.md for more.',
    'Version 2.1 of the API, see api.md for more.',
  ],
  ['这个服务器管理问题。更多。', '这个服务器管理问题。'],
  ['# Only a heading', undefined],
  ['Overview', 'Overview'],
  ['', undefined],
])('the first sentence of %j', (markdown, sentence) => {
  expect(firstSentence(markdown)).toBe(sentence);
});

test('reads hostile texts quickly', () => {
  const start = process.cpuUsage();
  for (const text of ['*', '[', '<!--', '_a', '- ', '. ', '`', '![](', '---\n', '<a', '#'].map((part) =>
    part.repeat(200_000),
  )) {
    firstSentence(text);
  }
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(20_000);
});
