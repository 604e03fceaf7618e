import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { ModelMessage } from '@toolwright/server';
import { type ModelCase, request } from './case.ts';

const TEXT = 'Order 1 is placed. It arrives on Friday.';
const LONG_CHARACTERS = 200_000;
const LONG_TEXT = 'word '.repeat(LONG_CHARACTERS / 5);
const CALL = { tool: 'execute_code', input: { code: 'return 1' } };

/** Rules of successful answers. */
export const ANSWER_CASES: readonly ModelCase[] = [
  {
    name: 'the name is provider/name',
    replies: [],
    async run({ name }) {
      match(name, /^[^/\s]+\/.+$/);
    },
  },
  {
    name: 'onText receives the text of the answer in order',
    replies: [{ kind: 'text', text: TEXT }],
    async run(model) {
      const deltas: string[] = [];
      const { message, end } = await model.answer(request({ onText: (delta) => deltas.push(delta) }));
      deepEqual([deltas.join(''), message], [TEXT, { ...message, role: 'assistant', text: TEXT, calls: [] }]);
      equal(end, 'stop');
    },
  },
  {
    name: 'an empty answer has no text and no calls',
    replies: [{ kind: 'text', text: '' }],
    async run(model) {
      const { message, end } = await model.answer(request());
      deepEqual([message.text, message.calls, end], ['', [], 'stop']);
    },
  },
  {
    name: 'a request without tools is answered',
    replies: [{ kind: 'text', text: TEXT }],
    async run(model) {
      equal((await model.answer(request({ tools: [] }))).message.text, TEXT);
    },
  },
  {
    name: 'tool calls have distinct ids, a tool and an input',
    replies: [{ kind: 'calls', calls: [CALL, { ...CALL, input: { code: 'return 2' } }] }],
    async run(model) {
      const { message, end } = await model.answer(request());
      equal(end, 'calls');
      deepEqual(
        message.calls.map(({ tool, input }) => ({ tool, input })),
        [CALL, { ...CALL, input: { code: 'return 2' } }],
      );
      const ids = message.calls.map(({ id }) => id);
      ok(ids.every((id) => typeof id === 'string' && id !== '') && new Set(ids).size === 2, `ids: ${ids.join(', ')}`);
    },
  },
  {
    name: 'a conversation with its own answer and a tool result is continued',
    replies: [
      { kind: 'calls', calls: [CALL] },
      { kind: 'text', text: TEXT },
    ],
    async run(model) {
      const { messages } = request();
      const { message } = await model.answer(request());
      const [call] = message.calls;
      ok(call, 'the answer has no call');
      const result: ModelMessage = { role: 'tool', call: call.id, tool: call.tool, text: '1' };
      // Transcripts keep messages as JSON.
      const kept: ModelMessage = JSON.parse(JSON.stringify(message));
      equal((await model.answer(request({ messages: [...messages, kept, result] }))).message.text, TEXT);
    },
  },
  {
    name: 'a message is plain JSON',
    replies: [{ kind: 'calls', calls: [CALL] }],
    async run(model) {
      const { message } = await model.answer(request());
      deepEqual(JSON.parse(JSON.stringify(message)), message);
    },
  },
  {
    name: 'the request is not changed',
    replies: [{ kind: 'text', text: TEXT }],
    async run(model) {
      const sent = request();
      const before = JSON.stringify([sent.messages, sent.tools]);
      await model.answer(sent);
      equal(JSON.stringify([sent.messages, sent.tools]), before);
    },
  },
  {
    name: 'long messages arrive complete',
    replies: [{ kind: 'text', text: LONG_TEXT }],
    async run(model) {
      let streamed = 0;
      const messages: ModelMessage[] = [{ role: 'user', text: LONG_TEXT }];
      const { message } = await model.answer(
        request({
          messages,
          onText: (delta) => {
            streamed += delta.length;
          },
        }),
      );
      deepEqual([message.text.length, streamed], [LONG_TEXT.length, LONG_TEXT.length]);
    },
  },
  {
    name: 'usage counts whole tokens, cached tokens within input tokens',
    replies: [{ kind: 'text', text: TEXT }],
    async run(model) {
      const { usage } = await model.answer(request());
      if (usage === undefined) return;
      const counts = [usage.inputTokens, usage.outputTokens, usage.cachedTokens];
      ok(
        counts.every((count) => Number.isSafeInteger(count) && count >= 0),
        `counts: ${counts.join(', ')}`,
      );
      ok(usage.cachedTokens <= usage.inputTokens, `cached ${usage.cachedTokens} of ${usage.inputTokens}`);
    },
  },
];
