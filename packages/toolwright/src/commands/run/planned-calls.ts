import type { PlannedCall } from '@toolwright/core';
import { asLine } from '../terminal.ts';

/** Returns the lines of the calls of a dry run. Their texts are data: they stay in their lines. */
export function plannedLines(calls: readonly PlannedCall[]): string[] {
  const numberWidth = Math.max(0, ...calls.map(({ number }) => String(number).length));
  const actionWidth = Math.max(0, ...calls.map(({ action }) => action.length));
  return calls.map(({ number, tool, arguments: args, action, rule, limit, isInvented }) => {
    const why = `${rule}${limit === undefined ? '' : ` (${limit})`}${isInvented ? '; not sent' : ''}`;
    const call = asLine(`${tool} ${JSON.stringify(args)}`);
    return `call ${String(number).padStart(numberWidth)}  ${action.padEnd(actionWidth)}  ${call}  by ${asLine(why)}`;
  });
}

/** Returns how many calls of a dry run a person must approve, and how many the policy denies. */
export function plannedSummary(calls: readonly PlannedCall[]): string {
  const count = (wanted: PlannedCall['action']) => calls.filter(({ action }) => action === wanted).length;
  const all = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
  return `${all}: ${count('allow')} allowed, ${count('ask')} to approve, ${count('deny')} denied.`;
}
