import { ToolwrightError } from '../../errors.ts';
import { shownAddress } from '../../network/shown-address.ts';

/** A cause that prevents a login. */
export interface LoginProblem {
  /** The address that caused it. Its query is not shown. */
  readonly url: string | URL;
  /** The problem, as the rest of a sentence that starts with the address. */
  readonly problem: string;
  /** The fix, a sentence. */
  readonly fix: string;
}

/** Returns the error of a login that an issuer or a server prevents. */
export function loginFailure(server: string, { url, problem, fix }: LoginProblem): ToolwrightError {
  const message = `Toolwright cannot log in to ${server}: ${shownAddress(url)} ${problem}. ${fix}`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message, { details: { server } });
}

/** Returns the error of a call or a listing that needs a login first. The server has executed nothing. */
export function loginRequired(server: string, reason: string): ToolwrightError {
  const message = `${server} requires a login: ${reason}. Run: toolwright servers login ${server}`;
  return new ToolwrightError('AUTHORIZATION_REQUIRED', message, { details: { server } });
}

/** Returns whether an error reports a missing login. */
export function isLoginRequired(error: unknown): error is ToolwrightError {
  return error instanceof ToolwrightError && error.code === 'AUTHORIZATION_REQUIRED';
}

/** Returns the text of an error code of OAuth (RFC 6749, section 5.2); other texts may quote secrets. */
export function oauthCode(code: unknown): string {
  return typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : 'an unknown error';
}
