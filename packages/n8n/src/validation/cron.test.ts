import { expect, it } from 'vitest';
import { cronProblem } from './cron.ts';

it.each([
  '* * * * *',
  '0 9 * * 1-5',
  '*/10 * * * * *',
  '30 4 1,15 * 5',
  '0 0 1 jan mon-fri',
  '@daily',
  '0 22 * * sun',
  '5/15 * * * *',
  '0 0 31 2 1',
  '0 0 29 feb *',
  '0 9 * * 0-7',
])('%s is valid', (expression) => expect(cronProblem(expression)).toBeUndefined());

it.each([
  ['', '0 fields'],
  ['* * * *', '4 fields'],
  ['61 * * * *', 'outside 0 to 59'],
  ['* * * foo *', 'unknown name "foo"'],
  ['0 obj */1 * * *', 'unknown name "obj"'],
  ['* 5-2 * * *', 'runs backwards'],
  ['*/0 * * * *', 'step of 0'],
  ['a-b * * * *', 'unknown name'],
  ['0 9 ? * *', 'cannot be read'],
  ['0 9 * * monday', 'unknown name "day"'],
  ['@midnight', 'unknown name'],
  ['0 0 31 4,6 *', 'never comes'],
])('%s is invalid: %s', (expression, problem) => expect(cronProblem(expression)).toContain(problem));
