import { readRegularText } from '@toolwright/connectors/read-file';
import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import * as z from 'zod';
import type { Model, ModelAnswer, ModelMessage, ModelPrice, ModelRequest, ModelUsage } from './model.ts';

/** One answer of a script. */
export interface ScriptedStep {
  /** The text of the answer. `{{result}}` is the text of the last tool result. A step without code and calls ends the task. */
  readonly text?: string | undefined;
  /** Shorthand for one call of `execute_code`. */
  readonly code?: string | undefined;
  readonly calls?: readonly { readonly tool: string; readonly input?: unknown }[] | undefined;
  readonly usage?: ModelUsage | undefined;
}

export interface ScriptedModelOptions {
  /** The part of the name after `scripted/`. Default: `inline`. */
  readonly name?: string;
  readonly price?: ModelPrice;
}

const step: z.ZodType<ScriptedStep> = z.strictObject({
  text: z.string().optional(),
  code: z.string().optional(),
  calls: z.array(z.strictObject({ tool: z.string(), input: z.unknown().optional() })).optional(),
  usage: z.strictObject({ inputTokens: z.int(), outputTokens: z.int(), cachedTokens: z.int() }).optional(),
});
/** Maximum bytes of a script. */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;
const script = z.array(step).min(1);

/** The default usage of an answer. */
const USAGE: ModelUsage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0 };

/**
 * Creates a model that answers from a list of steps, for tests and trials without a key. The first step is the first
 * answer to a task; the last step repeats. A function instead of a list receives each request and returns its step.
 */
export function scriptedModel(
  steps: readonly ScriptedStep[] | ((request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>),
  { name = 'inline', price }: ScriptedModelOptions = {},
): Model {
  const next = typeof steps === 'function' ? steps : ({ messages }: ModelRequest) => stepOf(steps, messages);
  return {
    name: `scripted/${name}`,
    price,
    async answer(request) {
      request.signal.throwIfAborted();
      return respond(await next(request), request);
    },
  };
}

/** Creates a model that answers from a JSON file with a list of {@link ScriptedStep}. Raises `CONFIG_INVALID` for a bad file. */
export async function scriptedModelFrom(path: string): Promise<Model> {
  try {
    return scriptedModel(script.parse(JSON.parse(await readRegularText(path, MAX_SCRIPT_BYTES))), { name: path });
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    const message = `${path} is not a valid model script (${problem}). Write a JSON list of steps: [{"code": "return 1"}, {"text": "It is {{result}}."}].`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
}

function stepOf(steps: readonly ScriptedStep[], messages: readonly ModelMessage[]): ScriptedStep {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const answered = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  return steps[Math.min(answered, steps.length - 1)] ?? {};
}

function respond({ text = '', code, calls = [], usage = USAGE }: ScriptedStep, request: ModelRequest): ModelAnswer {
  const result = request.messages.findLast((message) => message.role === 'tool')?.text ?? '';
  const reply = text.replaceAll('{{result}}', () => result);
  for (const word of reply.match(/\s*\S+|\s+/g) ?? []) request.onText?.(word);
  const wanted = code === undefined ? calls : [{ tool: 'execute_code', input: { code } }, ...calls];
  const number = request.messages.length;
  const made = wanted.map(({ tool, input }, index) => ({ id: `call-${number}-${index}`, tool, input: input ?? {} }));
  return {
    message: { role: 'assistant', text: reply, calls: made },
    end: made.length > 0 ? 'calls' : 'stop',
    usage,
  };
}
