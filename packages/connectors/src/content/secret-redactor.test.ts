import { expect, test } from 'vitest';
import { secretRedactor } from './secret-redactor.ts';

test('hides configured values that may be secret', () => {
  const stdio = secretRedactor({ command: 'x', args: ['visible-arg'], env: { TOKEN: 'tok-123456', LEVEL: 'info' } });
  expect(stdio('tok-123456 and visible-arg at info')).toBe('[redacted] and visible-arg at info');
  const http = secretRedactor({
    url: 'https://me:passw0rd@h/p?key=abc123def',
    headers: { Authorization: 'Bearer abcdef123' },
  });
  expect(http('Bearer abcdef123, abcdef123, abc123def, passw0rd, https://h/p')).toBe(
    '[redacted], [redacted], [redacted], [redacted], https://h/p',
  );
});
