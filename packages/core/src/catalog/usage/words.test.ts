import { createDetection } from '@toolwright/pii';
import { expect, it } from 'vitest';
import { learnableTerms } from './words.ts';

const filter = {
  detect: createDetection().detectText,
  isInCatalog: (term: string) => term === 'kubernet' || term === '天气',
};

it.each([
  ['reads the kubernetes logs', ['read', 'kubernet', 'log']],
  ['mail Zbigniew Brzęczyszczykiewicz', ['mail']],
  ['call 0170 1234567 or bob.smith@example.com', ['call']],
  ['open [PERSON_1] and [EMAIL_12]', ['open']],
  ['file /home/nowak/notes.txt', ['fil']],
  ['user Nowak99 token ghp_16C7e42F292c6912E7710c838347Ae178B4a', ['user', 'token']],
  ['天气', ['天气']],
  ['', []],
])('keeps known and common words only: %j', async (query, expected) => {
  expect(await learnableTerms(query, filter)).toEqual(expected);
});

it('learns nothing if the detection fails', async () => {
  const detect = () => Promise.reject(new Error('no detector'));
  await expect(learnableTerms('read a file', { ...filter, detect })).rejects.toThrow('no detector');
});
