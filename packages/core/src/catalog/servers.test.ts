import { describe, expect, it } from 'vitest';
import { serverSlugs } from './servers.ts';

describe('serverSlugs', () => {
  it('keeps plain names and cleans others', () => {
    expect(serverSlugs(['github', 'My Server', 'a/b', 'Café'])).toEqual(
      new Map([
        ['github', 'github'],
        ['Café', 'Cafe'],
        ['My Server', 'My-Server'],
        ['a/b', 'a-b'],
      ]),
    );
  });

  it('makes slugs without collisions or path separators, in any order', () => {
    const names = [
      'a-b',
      'a/b',
      'a b',
      '',
      ' ',
      '..',
      '../../..',
      '__proto__',
      'proto',
      '天气',
      '天气2',
      'x'.repeat(500),
      '.',
      '-',
    ];
    const slugs = serverSlugs(names);
    expect(new Set(slugs.values()).size).toBe(names.length);
    expect([...slugs.values()].filter((slug) => !/^[A-Za-z\d][\w-]*$/.test(slug) || slug.length > 64)).toEqual([]);
    expect(slugs.get('a-b')).toBe('a-b');
    expect(serverSlugs([...names].reverse())).toEqual(slugs);
  });
});
