import assert from 'node:assert/strict';
import type { ContextSource } from '@toolwright/core';
import { type ConnectorCase, failureOf } from './case.ts';

/** The resources and the prompt that a connector with a `context` must offer for the suite. */
export const CONFORMANCE_CONTEXT = {
  /** A resource with the type `text/plain` and this text. */
  text: { uri: 'suite://text', text: 'a "quoted" text ☃ \u2028\n' },
  /** A resource of these bytes, as base64. */
  bytes: { uri: 'suite://bytes', blob: 'AAEC/w==' },
  /** A template: `suite://items/7` has the text `item 7`. */
  template: { uriTemplate: 'suite://items/{id}' },
  /** A prompt with the required argument `topic`: one message of the user with the text `About ☃` for the topic `☃`. */
  prompt: { name: 'about', argument: 'topic' },
} as const;

/** Rules for connectors that have resources and prompts; others keep them. */
export const CONTEXT_CASES: readonly ConnectorCase[] = [
  withContext('lists its resources, templates and prompts, also in concurrent listings', async (context) => {
    const [first, second] = await Promise.all([context.resources(), context.resources()]);
    assert.deepEqual(second, first);
    const uris = first.resources.map(({ uri }) => uri);
    assert.equal(new Set(uris).size, uris.length);
    for (const { uri } of [CONFORMANCE_CONTEXT.text, CONFORMANCE_CONTEXT.bytes]) assert.ok(uris.includes(uri), uri);
    const { uriTemplate } = CONFORMANCE_CONTEXT.template;
    assert.ok(first.templates.some((template) => template.uriTemplate === uriTemplate));
    const { name, argument } = CONFORMANCE_CONTEXT.prompt;
    const prompt = (await context.prompts()).find((listed) => listed.name === name);
    assert.ok(prompt, `The prompt ${name} is missing.`);
    assert.deepEqual(
      prompt.arguments.map((each) => [each.name, each.required]),
      [[argument, true]],
    );
  }),
  withContext('reads a resource without a listing before, and passes its content unchanged', async (context) => {
    const { text, bytes } = CONFORMANCE_CONTEXT;
    assert.deepEqual(await context.readResource(text.uri), [{ ...text, mimeType: 'text/plain' }]);
    const [part] = await context.readResource(bytes.uri);
    assert.equal(Object(part).blob, bytes.blob);
    assert.equal(Object((await context.readResource('suite://items/7'))[0]).text, 'item 7');
  }),
  withContext('reports the failure of an unknown resource or prompt as TOOL_FAILED', async (context) => {
    await failureOf(context.readResource('suite://none'), 'TOOL_FAILED');
    await failureOf(context.getPrompt('none', {}), 'TOOL_FAILED');
  }),
  withContext('fills a prompt', async (context) => {
    const { name, argument } = CONFORMANCE_CONTEXT.prompt;
    const { messages } = await context.getPrompt(name, { [argument]: '☃' });
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'About ☃' } }]);
  }),
  withContext('accepts a listener for changes, and its removal more than once', async (context) => {
    const remove = context.onChanged(() => undefined);
    await context.resources();
    remove();
    remove();
  }),
];

function withContext(name: string, run: (context: ContextSource) => Promise<void>): ConnectorCase {
  return {
    name,
    async run({ connector: { context } }) {
      if (context) await run(context);
    },
  };
}
