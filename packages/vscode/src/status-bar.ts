import { type StatusBarItem, ThemeColor } from 'vscode';
import type { ApprovalState } from './approvals.ts';

/** Shows the number of open approvals in an item of the status bar. */
export function showApprovals(item: StatusBarItem, state: ApprovalState): void {
  const isWaiting = state.is === 'open' && state.number > 0;
  item.backgroundColor = isWaiting ? new ThemeColor('statusBarItem.warningBackground') : undefined;
  item.command = state.is === 'signedOut' ? 'toolwright.signIn' : 'toolwright.openApprovals';
  item.text = textOf(state);
  item.tooltip = tooltipOf(state);
  item.accessibilityInformation = { label: `Toolwright: ${item.tooltip}` };
  item.show();
}

function textOf(state: ApprovalState): string {
  if (state.is === 'open') return `$(check) ${state.number}`;
  return state.is === 'signedOut' ? '$(key) Toolwright' : '$(debug-disconnect) Toolwright';
}

function tooltipOf(state: ApprovalState): string {
  if (state.is === 'signedOut') return 'The server asks for a key. Click to sign in.';
  if (state.is === 'unreachable') return `No connection. ${state.reason} Trying again.`;
  return state.number === 1 ? '1 call waits for approval' : `${state.number} calls wait for approval`;
}
