import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/core/internal';
import { HttpProblem } from '../http/requests/problem.ts';
import { unavailable } from '../refusal.ts';

const AGAIN = 'Log in again.';
const OPERATOR = 'The operator of this server can fix it:';

/** Errors of the provider by their code (RFC 6749; OpenID Connect Core, section 3.1.2.6), with the fix. */
const PROVIDER_ERRORS: Readonly<Record<string, string>> = {
  access_denied: 'You cancelled the login, or the provider does not give you access to this server.',
  login_required: AGAIN,
  interaction_required: AGAIN,
  consent_required: AGAIN,
  account_selection_required: AGAIN,
  invalid_grant: `The code of this login was used already, or is too old. ${AGAIN}`,
  invalid_client: `${OPERATOR} check auth.oidc.clientId and auth.oidc.clientSecret.`,
  unauthorized_client: `${OPERATOR} allow the authorization code grant for auth.oidc.clientId at the provider.`,
  unsupported_response_type: `${OPERATOR} allow the authorization code grant for auth.oidc.clientId at the provider.`,
  invalid_scope: `${OPERATOR} set auth.oidc.scopes to scopes that the provider knows.`,
  invalid_request: `${OPERATOR} compare the client at the provider with auth.oidc.`,
  server_error: 'The provider has a fault. Try again later.',
  temporarily_unavailable: 'The provider is overloaded. Try again later.',
};

/** Faults of answers by the code of the library. Each is refused, because somebody may have changed the answer. */
const ANSWER_FAULTS: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: 'The answer does not belong to this login, or is not valid.',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'The ID token was not issued for this login.',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'The ID token has expired. Check the clocks of the server and the provider.',
  OAUTH_KEY_SELECTION_FAILED: 'The ID token is signed by a key that the provider does not have.',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: `The metadata names another issuer. ${OPERATOR} set auth.oidc.issuer to exactly the "issuer" of the metadata.`,
  OAUTH_UNSUPPORTED_OPERATION:
    'The provider signs ID tokens with an algorithm that is not supported. Use RS256 or ES256.',
};

/** RFC 6749: the characters of a description. Others could hide or reorder text. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,300}$/;
const CODE = /^[\w.-]{1,60}$/;

/** Returns the problem 401 of a login that was refused. */
export function refusedLogin(detail: string): HttpProblem {
  return new HttpProblem(401, 'UNAUTHENTICATED', detail);
}

/**
 * Returns the problem of an error of the library, with the fix: 401, or 503 when the provider did not answer as a provider. `step` is the
 * failed request.
 */
export function providerProblem(error: unknown, step: 'metadata' | 'login'): HttpProblem {
  const { code = '', cause, error: kind, error_description: description } = error as Partial<Record<string, unknown>>;
  // A provider may refuse the secret of a client by HTTP 401, with the error in a header.
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return refusedLogin(refusal(challengeIn(cause), undefined));
  if (typeof kind === 'string') return refusedLogin(refusal(kind, description));
  const fault = ANSWER_FAULTS[String(code)];
  if (fault !== undefined) return refusedLogin(`The answer of the provider was refused. ${fault}`);
  // The error of a secret is for the log: it names a place on the machine.
  const isSecret = error instanceof ToolwrightError;
  const place = isSecret ? 'The client secret' : step === 'metadata' ? 'The metadata of the provider' : 'The provider';
  const fix = isSecret ? 'auth.oidc.clientSecret' : 'auth.oidc.issuer and the network';
  const detail = `${place} cannot be read. Try again later. ${OPERATOR} check ${fix}.`;
  return Object.assign(unavailable('AUTH_UNAVAILABLE', detail), { cause: messageOf(error) });
}

function challengeIn(challenges: unknown): string {
  const [first] = challenges as readonly { readonly parameters: Readonly<Record<string, string>> }[];
  return first?.parameters.error ?? 'invalid_client';
}

function refusal(kind: string, description: unknown): string {
  const name = CODE.test(kind) ? kind : 'an unknown error';
  const detail = typeof description === 'string' && DESCRIPTION.test(description) ? ` (${description})` : '';
  const fix = PROVIDER_ERRORS[kind] ?? `${OPERATOR} look for this error at the provider.`;
  return `The provider refused the login: ${name}${detail}. ${fix}`;
}
