import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { RestoredArguments, ToolCall, ToolCallContext } from './call.ts';

/**
 * Settles a call that was sent before a crash and has no answer: it may have taken effect. A call that may be repeated is sent again.
 * For any other, a person decides. Returns the result that the person gave; undefined for a call to send. Raises `OUTCOME_UNKNOWN`.
 */
export async function settleOutcome(
  call: ToolCall,
  { tool }: Pick<ResolvedTool, 'tool'>,
  { args }: Pick<RestoredArguments, 'args'>,
  { ask }: Pick<ToolCallContext, 'ask'>,
): Promise<{ readonly data: unknown } | undefined> {
  if (!call.earlier?.isSent || mayRepeat(tool.definition.annotations)) return undefined;
  const { action, value, note } = await ask({ kind: 'outcome', call, tool, args });
  if (action === 'resend') return undefined;
  if (action === 'result') return { data: value ?? null };
  const reason = action === 'expired' ? 'Nobody said in time whether it happened.' : (note ?? 'A person ended it.');
  throw new ToolwrightError(
    'OUTCOME_UNKNOWN',
    `The call of ${tool.id} was sent before a crash, and its answer is unknown. ${reason} Check at the server whether it took effect before you call it again.`,
  );
}

function mayRepeat(annotations: ResolvedTool['tool']['definition']['annotations']): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
