import { expect, test } from 'vitest';
import { redactedLogger } from './redacted-logger.ts';

test('redacts messages, texts and errors, and keeps other fields and the class of errors', () => {
  const lines: [object, string][] = [];
  const write = (fields: object, message: string) => void lines.push([fields, message]);
  const logger = redactedLogger({ debug: write, info: write, warn: write, error: write });
  const err = Object.assign(new TypeError('no mail to ada@example.org'), { code: 'E_MAIL' });
  logger.error({ id: 7, to: 'ada@example.org', err }, 'a mail to ada@example.org "failed"');
  const [[fields, message] = [{}, '']] = lines;
  expect(message).toBe('a mail to [EMAIL] "failed"');
  expect(fields).toMatchObject({ id: 7, to: '[EMAIL]', err: { code: 'E_MAIL', message: 'no mail to [EMAIL]' } });
  const logged = (fields as { err: Error }).err;
  expect(logged).toBeInstanceOf(TypeError);
  expect(logged.stack).not.toContain('ada@');
});
