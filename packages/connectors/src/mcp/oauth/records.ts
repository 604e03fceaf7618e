import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { DpopKey } from './dpop.ts';

/** The tokens of one user at one server, and the issuer and client that they belong to. */
export interface AccountRecord {
  readonly user: string;
  /** With the stamp of their issuer. */
  readonly tokens: StoredOAuthTokens;
  /** Milliseconds since 1970 at which the access token was issued. */
  readonly issuedAtMs: number;
  readonly discovery: OAuthDiscoveryState;
  readonly client: StoredOAuthClientInformation;
  /** The resource indicator of the tokens (RFC 8707). */
  readonly resource?: string | undefined;
  /** The key that the tokens are bound to. */
  readonly dpopKey?: DpopKey | undefined;
}

/** The latest challenge of a server that a login must satisfy. */
export interface ChallengeRecord {
  /** Scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** Address of the server's metadata. */
  readonly metadataUrl?: string | undefined;
  /** Milliseconds since 1970 of the last answer 403. */
  readonly atMs?: number | undefined;
  /** How often the server asked for these scopes. */
  readonly tries: number;
}
