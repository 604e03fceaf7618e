import {
  type AuthProvider,
  computeScopeUnion,
  type DpopSession,
  type FetchLike,
  isStrictScopeSuperset,
  SdkErrorCode,
  SdkHttpError,
  withDpop,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import { isInteractive } from './client-provider.ts';
import { filledContext, type OAuthContext, serverKey } from './context.ts';
import type { CredentialPlace } from './credentials.ts';
import { type Discovery, discover } from './discovery.ts';
import { type DpopKey, openDpop } from './dpop.ts';
import { isLoginRequired, loginRequired } from './failure.ts';
import type { AccountRecord, ChallengeRecord } from './records.ts';
import { expiresWithin, refreshTokens, requestOwnTokens } from './tokens.ts';

/** The account of one user at one server. */
export interface Account {
  /** Adds the user's token to requests, and renews it. */
  readonly provider: AuthProvider;
  /**
   * Handles an answer 403 for missing scopes. Resolves when the call can be sent again with more scopes. Raises
   * `AUTHORIZATION_REQUIRED` when the user must grant them, and `ACCESS_DENIED` after three tries.
   */
  stepUp(scope: string | undefined): Promise<void>;
  /** Adds proofs for tokens that are bound to a key (DPoP). */
  readonly prove: (next: FetchLike) => FetchLike;
  /** Returns the error of an answer 401 to a new token; undefined if the server does not ask for tokens. */
  rejected(): ToolwrightError | undefined;
  /** Returns the tokens in use, for their redaction. */
  secrets(): readonly string[];
  /** Forgets the read record, after a login or logout. */
  forget(): void;
}

/** A token is renewed this long before it expires, in milliseconds. */
const EARLY_MS = 30_000;
/** Milliseconds for which a read record counts: another process may change it. */
const CACHE_MS = 1_000;
/** Characters of the words of a server that refuses a request. */
const MAX_WORDS = 64 * 1024;
/** With the first login, three authorizations. */
const MAX_STEP_UPS = 2;
/** Milliseconds after which another answer 403 counts as the first one. */
const STEP_UPS_MS = 600_000;

/** Creates the account of a user; undefined has no tokens. Reads the store before the first request. */
export function createAccount(context: OAuthContext, user: string | undefined): Account {
  return new StoredAccount(context, user);
}

class StoredAccount implements Account {
  readonly #context: OAuthContext;
  readonly #user: string | undefined;
  readonly #place: CredentialPlace;
  readonly #challengePlace: CredentialPlace;
  #cached: { readonly record: AccountRecord | undefined; readonly atMs: number } | undefined;
  #isRefused = false;
  /** The token of the request of each answer: when an answer 401 comes, another call may have renewed the current one. */
  readonly #sent = new WeakMap<Response, string>();
  #dpop: { readonly key: DpopKey; readonly session: Promise<DpopSession> } | undefined;
  readonly provider: AuthProvider;
  readonly prove: Account['prove'];

  constructor(context: OAuthContext, user: string | undefined) {
    this.#context = context;
    this.#user = user;
    this.#place = { kind: 'account', server: serverKey(context), name: user ?? '' };
    this.#challengePlace = { ...this.#place, kind: 'challenge' };
    this.provider = {
      token: () => this.#token(),
      onUnauthorized: ({ response }) => this.#onUnauthorized(response),
    };
    const prove = withDpop(
      () => this.#session(),
      async () => this.#boundToken(),
    ) as Account['prove'];
    this.prove = (next) => prove(this.#remembering(next));
  }

  async stepUp(required: string | undefined): Promise<void> {
    const { server, credentials } = this.#context;
    const record = await this.#read(true);
    const before = await credentials.read<ChallengeRecord>(this.#challengePlace);
    const scope = computeScopeUnion(record?.tokens.scope, before?.scope, required);
    const isFirst = isStrictScopeSuperset(scope, before?.scope) || Date.now() - (before?.atMs ?? 0) > STEP_UPS_MS;
    const tries = isFirst ? 1 : (before?.tries ?? 0) + 1;
    if (tries > MAX_STEP_UPS) {
      const text = `${server} refuses the call for missing scopes, although they were requested ${MAX_STEP_UPS} times: ${scope}. Report it to the operator of the server.`;
      throw new ToolwrightError('ACCESS_DENIED', text, { details: { server } });
    }
    await credentials.write(this.#challengePlace, {
      ...before,
      scope,
      tries,
      atMs: Date.now(),
    } satisfies ChallengeRecord);
    if (isInteractive((await filledContext(this.#context)).oauth))
      throw loginRequired(server, `the call needs more permissions (${scope ?? 'unnamed scopes'})`);
    await this.#renew(record?.tokens.access_token, { scope });
  }

  rejected(): ToolwrightError | undefined {
    return this.#isRefused ? loginRequired(this.#context.server, 'it rejected a new token') : undefined;
  }

  secrets(): readonly string[] {
    const { access_token: access, refresh_token: refresh } = this.#cached?.record?.tokens ?? {};
    return [access, refresh].filter((text) => text !== undefined);
  }

  forget(): void {
    this.#cached = undefined;
  }

  async #token(): Promise<string | undefined> {
    const record = await this.#read(false);
    if (record === undefined) return undefined;
    const { access_token: current, refresh_token: refreshToken } = record.tokens;
    if (!expiresWithin(record, EARLY_MS)) return current;
    const isValid = !expiresWithin(record, 0);
    const canRenew = refreshToken !== undefined || !isInteractive((await filledContext(this.#context)).oauth);
    if (!canRenew) return isValid ? current : undefined;
    try {
      return (await this.#renew(current)).tokens.access_token;
    } catch (error) {
      if (isValid && !isLoginRequired(error)) return current;
      throw error;
    }
  }

  /** Returns the proofs of the key of the current tokens; they keep the nonces of the server. */
  #session(): Promise<DpopSession> | undefined {
    const key = this.#cached?.record?.dpopKey;
    if (key === undefined) return undefined;
    if (this.#dpop?.key.x !== key.x) this.#dpop = { key, session: openDpop(key) };
    return this.#dpop?.session;
  }

  /** Returns the current token if its issuer has bound it to the key. */
  #boundToken(): string | undefined {
    const { token_type: type, access_token: token } = this.#cached?.record?.tokens ?? {};
    return type?.toLowerCase() === 'dpop' ? token : undefined;
  }

  #remembering(next: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await next(url, init);
      const [, token] = new Headers(init?.headers).get('authorization')?.split(' ') ?? [];
      if (token !== undefined) this.#sent.set(response, token);
      return response;
    };
  }

  async #onUnauthorized(response: Response): Promise<void> {
    const sent = this.#sent.get(response);
    const challenge = challengeOf(response);
    if (challenge === undefined && this.#context.config.oauth === undefined && sent === undefined) {
      const text = (await response.text()).slice(0, MAX_WORDS);
      throw new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'HTTP 401', { status: 401, text });
    }
    this.#isRefused = true;
    await this.#renew(sent, { challenge: challenge ?? {} });
  }

  async #read(isFresh: boolean): Promise<AccountRecord | undefined> {
    if (this.#user === undefined) return undefined;
    if (!isFresh && this.#cached && performance.now() - this.#cached.atMs < CACHE_MS) return this.#cached.record;
    const record = await this.#context.credentials.read<AccountRecord>(this.#place);
    this.#cached = { record, atMs: performance.now() };
    return record;
  }

  /** Replaces a token once, although several calls and processes ask for it. */
  #renew(
    rejected: string | undefined,
    { challenge, scope }: { readonly challenge?: Challenge; readonly scope?: string | undefined } = {},
  ): Promise<AccountRecord> {
    const { server, credentials } = this.#context;
    return credentials.exclusive(this.#place, async () => {
      const record = await this.#read(true);
      const isRenewed = record && record.tokens.access_token !== rejected && !expiresWithin(record, 0);
      if (isRenewed && scope === undefined) return record;
      const filled = await filledContext(this.#context);
      const isPerson = isInteractive(filled.oauth);
      if (isPerson && record?.tokens.refresh_token === undefined) throw await this.#missing(record, challenge);
      const found =
        challenge === undefined && record !== undefined
          ? (record.discovery as Discovery)
          : await discover({
              server,
              serverUrl: filled.url,
              metadataUrl: challenge?.metadataUrl,
              fetch: filled.fetch,
              isInteractive: isPerson,
            });
      if (!isPerson) {
        const wanted = scope ?? computeScopeUnion(record?.tokens.scope, challenge?.scope);
        const request = { server, user: this.#user ?? '', filled, discovery: found, scope: wanted };
        return this.#save(await requestOwnTokens(request));
      }
      const hasMoved = found.authorizationServerMetadata.issuer !== record?.tokens.issuer;
      if (record === undefined || hasMoved) throw await this.#missing(record, challenge);
      return this.#save(
        await refreshTokens(server, record, filled).catch(async (error) => {
          if (isLoginRequired(error)) await this.#delete();
          throw error;
        }),
      );
    });
  }

  async #save(record: AccountRecord): Promise<AccountRecord> {
    await this.#context.credentials.write(this.#place, record);
    this.#cached = { record, atMs: performance.now() };
    return record;
  }

  async #delete(): Promise<void> {
    await this.#context.credentials.delete(this.#place);
    this.#cached = undefined;
  }

  /** Returns the error of a missing login. Keeps the challenge: a server may ask for a token only when a tool is called. */
  async #missing(record: AccountRecord | undefined, challenge: Challenge | undefined): Promise<ToolwrightError> {
    const { server, credentials } = this.#context;
    if (challenge && this.#user !== undefined) {
      const before = await credentials.read<ChallengeRecord>(this.#challengePlace);
      const next: ChallengeRecord = {
        scope: computeScopeUnion(before?.scope, challenge.scope),
        metadataUrl: challenge.metadataUrl?.href,
        tries: before?.tries ?? 0,
      };
      await credentials.write(this.#challengePlace, next);
    }
    return loginRequired(server, record === undefined ? 'nobody has logged in' : 'the login has expired');
  }
}
