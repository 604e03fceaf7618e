import { ToolwrightError } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';
import type { TaskRequest } from './task.ts';

const MAX_TASK_CHARACTERS = 200_000;

/** Checks what a request says by itself, and fills in the language. Raises `CONFIG_INVALID`. */
export function checkRequest(request: TaskRequest): TaskRequest & { readonly language: LanguageName } {
  const { task, language = 'typescript', sandbox } = request;
  if (typeof task !== 'string' || task.trim() === '' || task.length > MAX_TASK_CHARACTERS) {
    throw new ToolwrightError('CONFIG_INVALID', `A task is a text of 1 to ${MAX_TASK_CHARACTERS} characters.`);
  }
  if (language !== 'typescript' && language !== 'python') {
    throw new ToolwrightError('CONFIG_INVALID', `There is no language "${String(language)}": typescript, python.`);
  }
  if (sandbox !== undefined && (typeof sandbox !== 'string' || sandbox === '' || sandbox.length > 64)) {
    throw new ToolwrightError('CONFIG_INVALID', 'sandbox is the name of one, 1 to 64 characters.');
  }
  return { ...request, language };
}
