import { describe, expect, it } from 'vitest';
import { ALL_TOOLS, openProfiles } from './profile.ts';

const servers = () => ['github', 'github__private', 'docs'];

describe('a profile', () => {
  const { find, all } = openProfiles({
    servers,
    profiles: {
      work: { servers: ['docs'], tools: ['github__get_*'] },
      whole: { servers: ['*'] },
      typo: { servers: ['gihtub'] },
    },
  });

  it('has whole servers, and single tools of others', () => {
    const profile = find('work');
    expect(profile).toMatchObject({ name: 'work' });
    expect([profile?.hasServer('docs'), profile?.hasServer('github')]).toEqual([true, false]);
    expect([profile?.mayHave('docs'), profile?.mayHave('github'), profile?.mayHave('other')]).toEqual([
      true,
      true,
      false,
    ]);
    const has = (server: string, id: string) => profile?.has({ server, id });
    expect([has('docs', 'docs__read'), has('github', 'github__get_issue'), has('github', 'github__delete')]).toEqual([
      ...[true, true, false],
    ]);
  });

  it('is absent where all tools may be used', () => {
    expect([find(), find(ALL_TOOLS)]).toEqual([undefined, undefined]);
  });

  it('is the default one where nobody chooses', () => {
    const profiles = { work: { servers: ['docs'] } };
    const own = openProfiles({ servers, profiles, defaultProfile: 'work' });
    expect([own.find()?.name, own.find(ALL_TOOLS)]).toEqual(['work', undefined]);
  });

  it('with a mistake is a problem of its own', () => {
    expect(all()).toEqual([
      { name: 'work' },
      { name: 'whole' },
      { name: 'typo', problem: expect.stringMatching(/^profiles\.typo\.servers\[0\]: "gihtub" .* "github"\?$/) },
    ]);
    expect(() => find('typo')).toThrow(/matches no server/);
    expect(find('whole')?.hasServer('docs')).toBe(true);
  });
});

it.each([
  ['work', {}, /^profiles\.work: it names nothing\./],
  ['work', { servers: [], tools: [] }, /it names nothing/],
  ['work', { servers: ['githb'] }, /^profiles\.work\.servers\[0\]: "githb" matches no server\. .*"github"/],
  ['work', { tools: ['gitlab__*'] }, /^profiles\.work\.tools\[0\]: "gitlab__\*" matches no server/],
  ['work', { tools: ['get_issue'] }, /matches no server/],
  ['work', { servers: 'github' }, /^profiles\.work\.servers: expected a list/],
  ['work', { servers: [7] }, /^profiles\.work\.servers\[0\]: expected a text/],
  ['work', { servers: ['{github,docs}'] }, /has no meaning in a glob/],
  ['work', { server: ['github'] }, /^profiles\.work: unknown member "server"/],
  ['work', [], /^profiles\.work: expected an object/],
  ['work', null, /^profiles\.work: expected an object/],
  ['', { servers: ['docs'] }, /a name of a profile has/],
  ['*', { servers: ['docs'] }, /a name of a profile has/],
  ['../work', { servers: ['docs'] }, /a name of a profile has/],
])('the profile %j of %j is refused', (name, sets, problem) => {
  const { all } = openProfiles({ servers, profiles: { [name]: sets } });
  expect(all()).toEqual([{ name, problem: expect.stringMatching(problem) }]);
});

it.each(['__proto__', 'constructor', 'hasOwnProperty', 'wrok'])('%j is no profile unless the file has it', (name) => {
  const { find } = openProfiles({ servers, profiles: { work: { servers: ['docs'] } } });
  expect(() => find(name)).toThrow(/^There is no profile "/);
});

it('a profile called __proto__ is refused by its name', () => {
  const profiles = JSON.parse('{"__proto__":{"servers":["docs"]},"work":{"servers":["docs"]}}');
  const { all, find } = openProfiles({ servers, profiles });
  expect(all()).toEqual([
    { name: '__proto__', problem: expect.stringMatching(/a name of a profile/) },
    { name: 'work' },
  ]);
  expect(() => find('__proto__')).toThrow(/a name of a profile/);
  expect(find('work')?.name).toBe('work');
});
