import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { suggest } from './suggest.ts';

const IDS = [
  'github__create_issue',
  'github__list_issues',
  'jira__create_ticket',
  'files__read_file',
  'files__write_file',
];

describe('suggest', () => {
  it.each([
    ['github__create_isue', 'github__create_issue'],
    ['create_issue', 'github__create_issue'],
    ['gitub__create_issue', 'github__create_issue'],
    ['github__issue_create', 'github__create_issue'],
    ['github.createIssue', 'github__create_issue'],
    ['readFile', 'files__read_file'],
    ['filesystem__read_file', 'files__read_file'],
    ['raed_file', 'files__read_file'],
  ])('%s → %s', (wrong, right) => {
    expect(suggest(wrong, IDS)[0]).toBe(right);
  });

  it('returns nothing when no name is similar', () => {
    expect(suggest('quantum_flux', IDS)).toEqual([]);
    expect(suggest('', IDS)).toEqual([]);
  });

  it('is fast among thousands of names', () => {
    const words = ['create', 'list', 'read', 'file', 'issue', 'user', 'search', 'report', 'page', 'message', 'image'];
    const word = (number: number) => words[number % words.length];
    const many = Array.from(
      { length: 7_000 },
      (_, number) => `${word(number)}-${number % 300}__${word(number >> 2)}_${word(number >> 5)}_${word(number >> 8)}`,
    );
    suggest('warm_up', many);
    const used = processorTime();
    for (let run = 0; run < 5; run++) suggest(`file-4${run}__create_isue_user`, many);
    expect(used()).toBeLessThan(20_000);
  });
});
