import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { asLine } from '../terminal.ts';
import { reportProblems } from './problems.ts';

export interface PromptsArguments {
  /** `list`, or `get SERVER NAME ARGUMENT=TEXT…`. */
  readonly words: readonly string[];
  readonly server?: string;
  readonly json: boolean;
  readonly signal?: AbortSignal;
}

/** Runs `toolwright prompts`: lists the prompts of servers, or fills one. Returns the exit code. */
export async function prompts(toolwright: Toolwright, args: PromptsArguments, output: Output): Promise<number> {
  const [action = 'list', server, name, ...values] = args.words;
  if (action === 'list' && server === undefined) return list(toolwright, args, output);
  if (action !== 'get' || server === undefined || name === undefined) {
    throw new UsageError('Use "prompts list" or "prompts get SERVER NAME ARGUMENT=TEXT".');
  }
  const request = { signal: args.signal };
  const filled = await toolwright.context.getPrompt(server, name, argumentsOf(values), request);
  if (args.json) output.out(JSON.stringify(filled));
  for (const { role, content } of args.json ? [] : filled.messages) {
    const { text }: { text?: unknown } = Object(content);
    output.out(`${role}: ${typeof text === 'string' ? text : JSON.stringify(content)}`);
  }
  return EXIT.completed;
}

async function list(toolwright: Toolwright, { server, signal, json }: PromptsArguments, output: Output) {
  const lists = await toolwright.context.prompts({
    signal,
    server,
  });
  const found = lists.flatMap(({ server: from, prompts: own }) => own.map((prompt) => ({ server: from, ...prompt })));
  if (json) output.out(JSON.stringify({ prompts: found }));
  for (const { server: from, name, description, arguments: args } of json ? [] : found) {
    const parameters = args.map(({ name: argument, required }) => (required ? argument : `${argument}?`)).join(', ');
    output.out(asLine(`${from}  ${name}(${parameters})  ${description?.split('\n')[0] ?? ''}`).trimEnd());
  }
  if (found.length === 0 && !json) output.err('The servers have no prompts.');
  return reportProblems(toolwright, server, output);
}

function argumentsOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`An argument of a prompt is NAME=TEXT, not "${word}".`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
