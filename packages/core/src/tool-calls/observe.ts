import { hasManyDigits, holdsInteger } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { ToolCallContext } from './call.ts';
import type { RedactedResult } from './redact.ts';

/** Lets the catalog of the user infer the result type of the tool, from redacted data only. */
export function observeResult(
  { journalValue, journalText }: Pick<RedactedResult, 'journalValue' | 'journalText'>,
  { tool }: Pick<ResolvedTool, 'tool'>,
  { catalog }: { readonly catalog: Pick<ToolCallContext['catalog'], 'observe'> },
): void {
  catalog.observe(tool, journalValue, hasManyDigits(journalText) && holdsInteger(journalValue));
}
