import type { Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { createRecentSearches, type Source } from './recent-searches.ts';

const tool = (id: string): Tool => ({ id, server: 's', definition: { name: id, inputSchema: {} } });
const source = (): Source => ({ used: new Set() });
const terms = (...list: string[]) => Promise.resolve(list);

it('credits the searches that found the tool, else all of the program', async () => {
  const recent = createRecentSearches(() => 0);
  const program = source();
  recent.add('ada', program, { terms: terms('one'), found: ['x'] });
  recent.add('ada', program, { terms: terms('two'), found: [] });
  recent.add('ada', source(), { terms: terms('other'), found: [] });
  recent.add('bob', program, { terms: terms('bob'), found: ['x', 'y'] });
  expect(await recent.lessonOf('ada', program, tool('x'))).toMatchObject({ uses: 1, words: new Map([['one', 1]]) });
  expect((await recent.lessonOf('ada', program, tool('y')))?.words).toEqual(
    new Map([
      ['one', 0.5],
      ['two', 0.5],
    ]),
  );
});

it('counts a program and a search once per tool', async () => {
  const recent = createRecentSearches(() => 0);
  const program = source();
  recent.add('ada', program, { terms: terms('one'), found: ['x'] });
  await recent.lessonOf('ada', program, tool('x'));
  expect(recent.lessonOf('ada', program, tool('x'))).toBeUndefined();
  const next = await recent.lessonOf('ada', source(), tool('x'));
  expect([next?.uses, next?.words.size]).toEqual([1, 0]);
});

it('forgets searches after ten minutes', async () => {
  let now = 0;
  const recent = createRecentSearches(() => now);
  recent.add('ada', source(), { terms: terms('one'), found: ['x'] });
  now = 11 * 60 * 1_000;
  expect((await recent.lessonOf('ada', source(), tool('x')))?.words.size).toBe(0);
});
