import type { Tool } from '@toolwright/connectors';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { SentCall, ToolCall, ToolCallContext } from './call.ts';
import type { CallEntries } from './journal.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

/** The question about a missing login. */
interface LoginDetails {
  readonly server: string;
  /** The address with which the user logs in. */
  readonly url: string;
  /** ISO 8601, UTC: the end of the address. */
  readonly expiresAt: string;
}

/** Asks for the login that the error of a sent call requires. The call may be sent again then. Raises any other error. */
export async function logInAfter(
  error: unknown,
  startLogin: NonNullable<ToolCallContext['startLogin']>,
  { sent, entries, context }: { sent: SentCall; entries: CallEntries; context: ToolCallContext },
): Promise<void> {
  if (!isLoginMissing(error)) throw error;
  const details = await loginDetails(sent.target.tool.server, startLogin, context.userId).catch((failure) =>
    Promise.reject(failure instanceof ToolwrightError ? new UnredactedError(failure, sent.target.tool) : failure),
  );
  entries.pause(details, 'login');
  await askForLogin(sent, details, context);
  await entries.resend();
}

/** Waits for the login that a call needed before its execution was continued, if it did. */
export async function settleLogin(sent: SentCall, context: ToolCallContext): Promise<void> {
  const { reason, state } = sent.call.earlier?.pause ?? {};
  if (reason === 'login') await askForLogin(sent, state as LoginDetails, context);
}

/** Starts a login of a user. Raises the cause that prevents it. */
async function loginDetails(
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
async function askForLogin(
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

/**
 * Waits for the tool that `find` finds. When its server lists its tools only after a login, asks for the login of the user
 * first. The policy decides about the call afterwards, with the definition of the tool.
 */
export async function resolveAuthorized(
  found: Promise<ResolvedTool>,
  find: () => ResolvedTool | Promise<ResolvedTool>,
  call: ToolCall,
  context: ToolCallContext,
): Promise<ResolvedTool> {
  const { startLogin, dryRun, userId } = context;
  // An execution that is continued asks its question again, with the same link.
  let asked = call.earlier?.login as LoginDetails | undefined;
  for (let finding: ResolvedTool | Promise<ResolvedTool> = found; ; finding = find()) {
    try {
      return await finding;
    } catch (error) {
      const server = unlistedServer(error);
      if (server === undefined || !startLogin || dryRun) throw error;
      const details = asked ?? (await loginDetails(server, startLogin, userId));
      asked = undefined;
      await askForLogin({ call, restored: call, target: { tool: unlistedTool(call.tool, server) } }, details, context);
    }
  }
}

function unlistedServer(error: unknown): string | undefined {
  if (!(error instanceof ToolwrightError) || error.code !== 'AUTHORIZATION_REQUIRED') return undefined;
  const { server } = error.details;
  return typeof server === 'string' ? server : undefined;
}

/** Returns a tool whose definition is unknown, for the question. */
function unlistedTool(id: string, server: string): Tool {
  return { id, server, definition: { name: id.slice(server.length + 2), inputSchema: { type: 'object' } } };
}
