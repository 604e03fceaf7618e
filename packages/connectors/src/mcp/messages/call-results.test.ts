import { expect, test } from 'vitest';
import { textValue } from '../../content/text-value.ts';
import { ToolwrightError } from '../../errors.ts';
import { unwrap } from './call-results.ts';

const text = (value: string): unknown => ({ type: 'text', text: value });

test('returns structured content first, of any JSON type', () => {
  expect(unwrap({ content: [text('other')], structuredContent: { a: 1 } })).toEqual({ a: 1 });
  expect(unwrap({ content: [], structuredContent: null })).toBeNull();
  expect(unwrap({ structuredContent: 0 })).toBe(0);
});

test('returns one block, a list of blocks, or null', () => {
  expect(unwrap({ content: [text('{"a":[1,2]}')] })).toEqual({ a: [1, 2] });
  expect(unwrap({ content: [text('two\nlines')] })).toBe('two\nlines');
  expect(unwrap({ content: [text('{"a":1}'), text('and text')] })).toEqual([{ a: 1 }, 'and text']);
  expect(unwrap({ content: [] })).toBeNull();
  expect(unwrap({})).toBeNull();
});

test('keeps images, audio, resources and links, and drops hints', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AA==' };
  const resource = { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } };
  const link = { type: 'resource_link', uri: 'a:b', name: 'b' };
  expect(unwrap({ content: [{ ...image, annotations: { priority: 1 }, _meta: {} }] })).toEqual(image);
  expect(unwrap({ content: [text('see'), image, resource, link] })).toEqual(['see', image, resource, link]);
});

test.each([
  ['{"a":1}', { a: 1 }],
  [' [1, 2]\n', [1, 2]],
])('%j is data', (raw, value) => {
  expect(textValue(raw)).toEqual(value);
});

test.each(['', 'plain', '"quoted"', '1.10', '007', '1e3', '-0', '12345678901234567890', '{broken', 'NaN'])(
  '%j stays text',
  (raw) => {
    expect(textValue(raw)).toBe(raw);
  },
);

test('parses long numbers that lose no precision', () => {
  expect(textValue('{"id":9007199254740991,"s":"12345678901234567890","f":0.1234567890123456}')).toEqual({
    id: Number.MAX_SAFE_INTEGER,
    s: '12345678901234567890',
    f: 0.1234567890123456,
  });
});

test('deep nesting does not overflow the stack', () => {
  const deep = `${'['.repeat(1_000)}1234567890123456${']'.repeat(1_000)}`;
  expect(Array.isArray(textValue(deep))).toBe(true);
});

test('raises the message of a tool result with isError', () => {
  const failure = (result: Parameters<typeof unwrap>[0]): unknown => {
    try {
      return unwrap({ ...result, isError: true });
    } catch (error) {
      return error instanceof ToolwrightError ? [error.code, error.message, error.details] : error;
    }
  };
  expect(failure({ content: [text('no'), text('really')] })).toEqual(['TOOL_FAILED', 'no\nreally', {}]);
  const structuredContent = { code: 7 };
  expect(failure({ structuredContent })).toEqual(['TOOL_FAILED', '{"code":7}', { structuredContent }]);
  expect(failure({})).toEqual(['TOOL_FAILED', 'The tool reported a failure without a message.', {}]);
});

test('keeps JSON beyond the limits of a message as text', () => {
  for (const json of [`${'['.repeat(1_001)}${']'.repeat(1_001)}`, `[${'1,'.repeat(1_000_001)}1]`]) {
    expect(textValue(json)).toBe(json);
  }
});

test.each(['true', 'false', 'null', '42', '-1.5', ' 7\n', '2024-01-02', '"quoted"', '1.10'])('%j stays text', (raw) => {
  expect(unwrap({ content: [text(raw)] })).toBe(raw);
  expect(unwrap({ content: [text(raw), text('{"a":null}')] })).toEqual([raw, { a: null }]);
});

test('whole numbers beyond 2^53 in JSON text keep their digits', () => {
  expect(textValue('{"id":12345678901234567890,"at":1.5}')).toEqual({ id: 12345678901234567890n, at: 1.5 });
  expect(textValue('[[-9007199254740993]]')).toEqual([[-9007199254740993n]]);
});
