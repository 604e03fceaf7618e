/** Codes of findings. For `publish` codes n8n rejects the workflow; it accepts all others. */
export type FindingCode =
  | 'BODY_SHAPE'
  | 'UNKNOWN_NODE_TYPE'
  | 'UNKNOWN_NODE_VERSION'
  | 'NOT_A_TOOL'
  | 'EXCLUDED_NODE_TYPE'
  | 'NO_TRIGGER'
  | 'CONNECTION_SHAPE'
  | 'PARAMETER_SHAPE'
  | 'PARAMETER_REQUIRED'
  | 'PARAMETER_INVALID'
  | 'CREDENTIAL_REQUIRED'
  | 'SUBWORKFLOW_NOT_PUBLISHED'
  | 'CRON_SYNTAX'
  | 'TIMEZONE_UNKNOWN'
  | 'DUPLICATE_WEBHOOK'
  | 'EXITLESS_CYCLE'
  | 'CONDITIONAL_CYCLE'
  | 'EXPRESSION_SYNTAX'
  | 'EXPRESSION_UNKNOWN_NODE'
  | 'EXPRESSION_UNKNOWN_VARIABLE'
  | 'EXPRESSION_WITHOUT_EQUALS'
  | 'EXPRESSION_WITHOUT_BRACES'
  | 'EXPRESSION_NODE_NOT_BEFORE'
  | 'EXPRESSION_ENVIRONMENT'
  | 'CONNECTION_UNKNOWN_TARGET'
  | 'CONNECTION_UNKNOWN_SOURCE'
  | 'CONNECTION_BY_ID'
  | 'CONNECTION_PORT'
  | 'BRANCHES_IN_ONE_OUTPUT'
  | 'DUPLICATE_NAME'
  | 'DUPLICATE_ID'
  | 'UNKNOWN_PARAMETER'
  | 'UNKNOWN_OPTION'
  | 'PARAMETER_EMPTY'
  | 'CREDENTIAL_UNKNOWN'
  | 'CREDENTIAL_MISSING'
  | 'UNREACHABLE_NODE'
  | 'AI_INPUT_MISSING'
  | 'AI_INPUT_EXTRA'
  | 'RESPOND_MISSING'
  | 'RESPOND_UNUSED'
  | 'WEBHOOK_ID_MISSING'
  | 'BINARY_MISSING'
  | 'FILTER_SHAPE'
  | 'FILTER_OPERATOR'
  | 'CODE_SYNTAX'
  | 'CODE_MODE'
  | 'CODE_RETURN'
  | 'CODE_MODULE'
  | 'CODE_AWAIT'
  | 'CODE_NAME'
  | 'CODE_WITHOUT_RETURN'
  | 'JSON_SYNTAX'
  | 'SQL_SYNTAX'
  | 'URL_SHAPE'
  | 'LITERAL_TYPE'
  | 'FIELDS_MISSING'
  | 'TOOL_NAME_SHARED'
  | 'SESSION_MISSING'
  | 'SETTING_UNKNOWN'
  | 'WEBHOOK_DATA'
  | 'LOCATOR_TEXT'
  | 'COLUMNS_MISSING';

/** `publish` reports the problems that n8n rejects; `lint` also reports those that n8n accepts. */
export type Level = 'publish' | 'lint';

/** One problem of a workflow. */
export interface Finding {
  readonly code: FindingCode;
  /** Name of the node; absent for the workflow as a whole. */
  readonly node?: string;
  /** Path in the node or the workflow: `parameters.url`, `connections.Webhook.main[0][0]`. */
  readonly path?: string;
  readonly message: string;
  /** The fix, as an instruction. A rule may compute it when it is read: a hostile workflow has more findings than are returned. */
  readonly fix: string;
}

/** Findings of one severity that a result lists. */
export const MAX_FINDINGS = 500;

interface Verdict {
  /** True without errors at the requested level. */
  readonly valid: boolean;
  /** True when n8n would publish the workflow. */
  readonly publishable: boolean;
}

/** The result of a validation. */
export interface Validation extends Verdict {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Present if more than `MAX_FINDINGS` errors or warnings exist: the number of listed ones. */
  readonly note?: string;
}

/** Returns the result of a validation, with at most `MAX_FINDINGS` errors and as many warnings. */
export function validationOf(verdict: Verdict, errors: readonly Finding[], warnings: readonly Finding[]): Validation {
  const omitted = [errors, warnings].some(({ length }) => length > MAX_FINDINGS);
  const note = `Only the first ${MAX_FINDINGS} errors and the first ${MAX_FINDINGS} warnings are listed. Fix them and validate again.`;
  const listed = (findings: readonly Finding[]) => findings.slice(0, MAX_FINDINGS).map((finding) => ({ ...finding }));
  return { ...verdict, errors: listed(errors), warnings: listed(warnings), note: omitted ? note : undefined };
}
