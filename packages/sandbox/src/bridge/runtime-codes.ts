/**
 * Error codes that guest runtimes set. Any other Toolwright code in a failure is forged, unless a failed request has
 * it.
 */
export const GUEST_RUNTIME_CODES: ReadonlySet<string> = new Set([
  'SYNTAX',
  'NEVER_SETTLES',
  'RESULT_NOT_JSON',
  'RESULT_TOO_LARGE',
  'ARGUMENTS_TOO_LARGE',
  'TOOL_RESULT_TOO_LARGE',
  'TOOL_FAILED',
]);
