import { expect, test } from 'vitest';
import { taskDesks } from '../../../../../test/fixtures/tasks.ts';
import type { ModelMessage } from '../../models/model.ts';
import { scriptedModel } from '../../models/scripted.ts';
import { fitContext } from './context.ts';

const open = taskDesks();

test('replaces long outputs of old programs by their start and the path of a file with the full output', async () => {
  const long = 'x'.repeat(2_000);
  const sent: string[][] = [];
  const model = scriptedModel(({ messages }) => {
    sent.push(messages.map(({ text }) => text));
    return sent.length < 6 ? { code: `return "${sent.length}" + "x".repeat(2_000)` } : { text: 'done' };
  });
  const desk = await open(model, { contextTokens: 800 });
  const { id, sessionId } = await desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
  const handle = sent.at(-1)?.find((text) => text.startsWith('1x'));
  const path = `/workspace/outputs/${id.slice(0, 8)}-2.txt`;
  expect(handle).toBe(`1${long.slice(1, 400)}\n… shortened from 2001 characters, full text in ${path}`);
  const files = await desk.toolwright.sessions.files(sessionId);
  expect((await files.read(path, 10_000)).toString()).toBe(`1${long}`);
  expect(sent.at(-1)?.at(-1)).toBe(`5${long}`);
});

test('shortens the oldest results first, and keeps the task and short messages', async () => {
  const words = (seed: string) => Array.from({ length: 400 }, (_, index) => `${seed}${index}`).join(' ');
  const code = `return ${JSON.stringify(words('code'))}`;
  const call = { id: 'a', tool: 'execute_code', input: { code, language: 'python' } };
  const messages: ModelMessage[] = [
    { role: 'user', text: words('before') },
    { role: 'assistant', text: 'short', calls: [call], native: { model: 'x/y', content: [] } },
    { role: 'tool', call: 'a', tool: 'execute_code', text: words('result') },
    { role: 'user', text: words('task') },
  ];
  const task = messages[3];
  const files: Record<string, string> = {};
  const write = async (name: string, text: string) => {
    if (name.endsWith('.code')) throw new Error('the disk is full');
    files[name] = text;
    return `/workspace/outputs/${name}`;
  };
  await fitContext(messages, { budgetTokens: 10, task: words('task'), write });
  expect(files).toEqual({ '0.txt': words('before'), '2.txt': words('result') });
  expect(messages[3]).toBe(task);
  // The last answer of the model stays too, because the result belongs to it.
  expect(messages[1]).toMatchObject({ calls: [call] });
  messages.push({ role: 'assistant', text: 'next', calls: [] });
  await fitContext(messages, { budgetTokens: 10, task: words('task'), write });
  expect(messages[1]).toEqual({
    role: 'assistant',
    text: 'short',
    calls: [
      {
        ...call,
        input: {
          language: 'python',
          code: `${code.slice(0, 400)}\n… shortened from ${code.length} characters, the full text could not be written to a file: the disk is full`,
        },
      },
    ],
  });
});
