import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { stem, terms } from './terms.ts';

describe('terms', () => {
  it.each([
    ['createGitHubIssue', ['creat', 'git', 'hub', 'issu']],
    ['list_pull-requests.v2', ['list', 'pull', 'request', 'v2']],
    ['parseJSONFile', ['pars', 'json', 'fil']],
    ['What is the weather in Paris?', ['weath', 'paris']],
    ['café Übersetzung', ['caf', 'ubersetzung']],
    ['必应搜索', ['必应', '应搜', '搜索']],
    ['搜 web', ['web', '搜']],
    ['', []],
    ['\u0000 __ --', []],
  ])('%j', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('is linear on long text without spaces', () => {
    const used = processorTime();
    terms('aB'.repeat(200_000));
    terms('搜'.repeat(200_000));
    expect(used()).toBeLessThan(20_000);
  });
});

describe('stem', () => {
  it.each([
    ['creating', 'creat'],
    ['created', 'creat'],
    ['creation', 'creat'],
    ['queries', 'queri'],
    ['query', 'queri'],
    ['running', 'run'],
    ['files', 'fil'],
    ['address', 'address'],
    ['get', 'get'],
  ])('%s → %s', (word, root) => {
    expect(stem(word)).toBe(root);
  });
});
