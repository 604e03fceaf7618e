import { ToolwrightError } from '../errors.ts';

/** Returns the error for an answer over a limit, of which the rest is not read. */
export function tooLarge(excess: string): ToolwrightError {
  const text = `The server sent ${excess}. The rest was not read. Ask for less, with pages or a filter.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', text);
}
