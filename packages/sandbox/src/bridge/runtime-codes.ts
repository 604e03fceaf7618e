/** Error codes that guest runtimes give to errors themselves. A program may set any other code only as its own. */
export const GUEST_RUNTIME_CODES: ReadonlySet<string> = new Set([
  'SYNTAX',
  'NEVER_SETTLES',
  'RESULT_NOT_JSON',
  'RESULT_TOO_LARGE',
  'ARGUMENTS_TOO_LARGE',
  'TOOL_RESULT_TOO_LARGE',
  'TOOL_FAILED',
]);
