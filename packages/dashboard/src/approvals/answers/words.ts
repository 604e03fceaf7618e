const PAST: Readonly<Record<string, string>> = {
  approve: 'approved',
  deny: 'denied',
  result: 'answered with a result',
  resend: 'sent again',
  fail: 'ended as failed',
  answer: 'answered',
  decline: 'declined',
  cancel: 'cancelled',
  authorize: 'authorized',
  expired: 'not decided in time',
};

/** Returns the word for a decision that was made: `approved` for `approve`. */
export function pastOf(action: string): string {
  return PAST[action] ?? action;
}
