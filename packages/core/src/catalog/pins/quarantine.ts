import type { ToolPin } from './pin.ts';

/** Returns the error text of a hidden tool: why it is hidden, and the fix. */
export function quarantineText({ id, reasons }: ToolPin): string {
  const codes = reasons.map(({ code }) => code).join(', ');
  const fix = `The operator can look at it with "toolwright tools pins" and accept it with "toolwright tools pins --approve ${id}".`;
  return `The tool "${id}" is in quarantine (${codes}). Nothing was sent. ${fix}`;
}
