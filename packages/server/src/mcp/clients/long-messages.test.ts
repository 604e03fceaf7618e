import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { withoutLongMessages } from './long-messages.ts';

async function pass(chunks: readonly string[], maxBytes: number) {
  const refused: (string | undefined)[] = [];
  const stream = withoutLongMessages(maxBytes, (id) => refused.push(id));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return { passed: await text(stream), refused };
}

test.each<[string, string[], string, (string | undefined)[]]>([
  ['short messages pass, in any chunks', ['{"a', '":1}\n{', '"b":2}\n'], '{"a":1}\n{"b":2}\n', []],
  [
    'a long message is dropped and reported with the id at its end',
    ['{"x":"', 'y'.repeat(90), '","id":7}\n{}\n'],
    '{}\n',
    ['7'],
  ],
  ['a long message is reported with the id at its start', [`{"id":"a-1","x":"${'y'.repeat(2_000)}"}\n`], '', ['"a-1"']],
  ['a long message without an id is reported without one', [`{"x":"${'y'.repeat(200)}"}\n{}\n`], '{}\n', [undefined]],
])('%s', async (_name, chunks, passed, refused) => {
  expect(await pass(chunks, 64)).toEqual({ passed, refused });
});

test('50 MB take no longer than reading them', async () => {
  const used = processorTime();
  const { refused } = await pass([...Array<string>(800).fill('x'.repeat(64 * 1024)), '","id":1}\n'], 1024);
  expect(refused).toEqual(['1']);
  expect(used()).toBeLessThan(10_000);
});
