import { ToolwrightError } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';
import type { TaskRequest } from './task.ts';

const MAX_TASK_CHARACTERS = 200_000;

/** Validates a request and fills in the default language. Raises `CONFIG_INVALID`. */
export function checkRequest(request: TaskRequest): TaskRequest & { readonly language: LanguageName } {
  const { task, language = 'typescript', sandbox } = request;
  if (typeof task !== 'string' || task.trim() === '' || task.length > MAX_TASK_CHARACTERS) {
    throw new ToolwrightError('CONFIG_INVALID', `"task" must be a text of 1 to ${MAX_TASK_CHARACTERS} characters.`);
  }
  if (language !== 'typescript' && language !== 'python') {
    throw new ToolwrightError('CONFIG_INVALID', `Unknown language "${String(language)}". Use typescript or python.`);
  }
  if (sandbox !== undefined && (typeof sandbox !== 'string' || sandbox === '' || sandbox.length > 64)) {
    throw new ToolwrightError('CONFIG_INVALID', '"sandbox" must be the name of a sandbox, 1 to 64 characters.');
  }
  return { ...request, language };
}
