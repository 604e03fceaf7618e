import { withDigits } from '@toolwright/sandbox/internal';
import type { PlannedCall } from '../../history/result.ts';
import type { DryRunCalls, ToolCallContext } from '../../tool-calls/call.ts';
import { type BindingKey, bindingOf } from '../questions/call-binding.ts';

/** The list of the calls of a dry run. */
export interface DryRunList extends DryRunCalls {
  /** Returns the calls by number. */
  calls(): readonly PlannedCall[];
}

/** Creates the list of a dry run. */
export function createDryRunList(key: BindingKey, { redactForJournal }: ToolCallContext['redactor']): DryRunList {
  const calls: PlannedCall[] = [];
  return {
    calls: () => [...calls].sort((a, b) => a.number - b.number),
    async add({ call: { number, tool, args }, target, restored }, { action, rule, limit }, isInvented) {
      const decision = {
        action,
        rule,
        limit: limit === undefined ? undefined : `${limit.count} per ${limit.per}`,
        isInvented,
      };
      const redacted = await redactForJournal({ tool, arguments: args });
      calls.push({ number, tool: redacted.tool, arguments: withDigits(redacted.arguments), ...decision });
      return { ...decision, ...bindingOf({ tool: target.tool, args: restored.args }, key) };
    },
  };
}
