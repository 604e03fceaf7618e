import { expect, test } from 'vitest';
import { areDataKeys, isFieldName } from './field-names.ts';

test.each([
  ...['id', 'name', 'createdAt', 'created_at', 'URL', 'htmlUrl', 'address2', 'line_1', '_id', '$ref', '__typename'],
  ...[
    'isOk',
    'oauth2_token',
    'utf8',
    'TotalCount',
    'MAX_VALUE',
    'totalItemsPerPageCount',
    'https',
    'class_',
    'x',
    'py',
  ],
])('%s is the name of a field', (key) => expect(isFieldName(key)).toBe(true));

test.each([
  ...[
    '',
    '__proto__',
    '550e8400-e29b-41d4-a716-446655440000',
    'a1b2c3d4',
    'deadbeef',
    'cus_NffrFeUfNV2Hib',
    'U02ABCDEF',
  ],
  ...['ada@example.org', '[EMAIL_1]', '2024-01-31', '20240131', 'Jan-2024', '42', '1.5', 'INV-2024-001', 'user_8271'],
  ...[
    'Ada Lovelace',
    'merger-with-acme',
    'a.b',
    '/etc/passwd',
    'https://example.org',
    'dXNlcjoxMjM0NQ',
    'sk_live_4eC39HqLyjWD',
  ],
  ...[
    'the_secret_plan_to_buy_acme',
    'qwrtpsdfg',
    'Ünal',
    '名前',
    'a'.repeat(41),
    'x\ny',
    'kJhGfDsAqWeRtY',
    '+491701234567',
  ],
])('%j is data', (key) => expect(isFieldName(key)).toBe(false));

test.each([[['Ada']], [['Alice', 'Bob']], [['EUR', 'USD']], [['user_1', 'user_2', 'user_3']]])('%j are data', (keys) =>
  expect(areDataKeys(keys)).toBe(true),
);

test.each([[[]], [['line1', 'line2']], [['id', 'Name']], [['x', 'Y']]])('%j may be fields', (keys) =>
  expect(areDataKeys(keys)).toBe(false),
);
