import { ToolwrightError } from '../../errors.ts';
import type { SentCall, ToolCallContext } from '../call.ts';
import { sendWithInputs } from '../inputs.ts';
import type { CallEntries } from '../journal.ts';
import { UnredactedError } from '../redaction/unredacted-error.ts';

/** The question about a missing login. */
export interface LoginDetails {
  readonly server: string;
  /** The address with which the user logs in. */
  readonly url: string;
  /** ISO 8601, UTC: the end of the address. */
  readonly expiresAt: string;
}

/**
 * Sends a call, and asks people the questions of its server. When the server requires a login of the user, asks for it and sends the call again after it: the server has executed
 * nothing. Raises the errors of the connector, of a login that is not possible, and `AUTHORIZATION_REQUIRED` when nobody logs in.
 */
export function dispatchAuthorized(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  const data = sendWithInputs(sent, entries, context);
  const { startLogin } = context;
  return startLogin ? data.catch((error) => afterLogin(error, startLogin, { sent, entries, context })) : data;
}

/** Sends a call again after the login that its error requires. Raises any other error. */
async function afterLogin(
  error: unknown,
  startLogin: NonNullable<ToolCallContext['startLogin']>,
  { sent, entries, context }: { sent: SentCall; entries: CallEntries; context: ToolCallContext },
): Promise<unknown> {
  if (!isLoginMissing(error)) throw error;
  const details = await loginDetails(sent.target.tool.server, startLogin, context.userId).catch((failure) =>
    Promise.reject(failure instanceof ToolwrightError ? new UnredactedError(failure, sent.target.tool) : failure),
  );
  entries.pause(details, 'login');
  await askForLogin(sent, details, context);
  await entries.resend();
  return dispatchAuthorized(sent, entries, context);
}

/** Waits for the login that a call needed before its execution was continued, if it did. */
export async function settleLogin(sent: SentCall, context: ToolCallContext): Promise<void> {
  const { reason, state } = sent.call.earlier?.pause ?? {};
  if (reason === 'login') await askForLogin(sent, state as LoginDetails, context);
}

/** Starts a login of a user. Raises the cause that prevents it. */
export async function loginDetails(
  server: string,
  startLogin: NonNullable<ToolCallContext['startLogin']>,
  userId: string,
): Promise<LoginDetails> {
  const { url, expiresAtMs } = await startLogin(server, userId);
  return { server, url, expiresAt: new Date(expiresAtMs).toISOString() };
}

/** The parts of a call that a question about a login needs. */
interface WaitingCall {
  readonly call: SentCall['call'];
  readonly restored: Pick<SentCall['restored'], 'args'>;
  readonly target: Pick<SentCall['target'], 'tool'>;
}

/** Asks for a login, and resolves after it. Raises `AUTHORIZATION_REQUIRED` when nobody logs in. */
export async function askForLogin(
  { call, restored, target }: WaitingCall,
  details: LoginDetails,
  context: ToolCallContext,
): Promise<void> {
  const { tool } = target;
  const { action, note } = await context.ask({ kind: 'authorization', call, tool, args: restored.args, details });
  context.signal.throwIfAborted();
  if (action === 'authorize') return;
  const reason = action === 'expired' ? 'Nobody has logged in in time.' : (note ?? 'A person refused the login.');
  const message = `${details.server} requires a login for ${tool.id}. ${reason} Nothing was sent.`;
  throw new UnredactedError(
    new ToolwrightError('AUTHORIZATION_REQUIRED', message, { details: { server: details.server } }),
  );
}

function isLoginMissing(error: unknown): boolean {
  return error instanceof UnredactedError && error.error.code === 'AUTHORIZATION_REQUIRED';
}
