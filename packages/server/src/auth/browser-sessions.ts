import { parseJson } from '@toolwright/connectors/internal';
import type { Store } from '@toolwright/pii';
import * as z from 'zod';
import { type BrowserSession, type Principal, RIGHTS, type SessionOrigin, scopesIn } from '../principal.ts';
import type { ApiKeys } from './api-keys.ts';
import { isSecret, newSecret, secretSpace } from './browser-secret.ts';

/** The browser sessions of a store, which all processes share. Their secrets are stored as hashes. All methods raise `STORE_UNAVAILABLE`. */
export interface BrowserSessions {
  /** Starts a session. Returns its secret, for a cookie. */
  start(
    principal: Principal,
    by: SessionOrigin,
    endsMs?: number,
  ): Promise<{ readonly secret: string; readonly session: BrowserSession }>;
  /** Returns the session of a secret; undefined when it has ended, and when its key was revoked or has expired. */
  find(secret: string): Promise<BrowserSession | undefined>;
  end(secret: string): Promise<void>;
  /** Creates the secret of a link that starts one session of the local user, with all rights, within {@link LINK_MS}. */
  createLink(): Promise<string>;
  /** Uses a link. Returns whether it was valid: the first use ends it. A server with keys accepts none. */
  useLink(secret: string): Promise<boolean>;
}

/** Milliseconds after which a person logs in again. */
export const SESSION_MS: number = 12 * 60 * 60_000;
/** Milliseconds in which a link can be used. */
export const LINK_MS: number = 5 * 60_000;

const ENTRY = 'session';
const OPEN = 'open';

const recordSchema = z.object({
  principal: z.object({
    user: z.string().min(1),
    name: z.string().min(1).exactOptional(),
    credential: z.string().min(1),
    scopes: z.array(z.string()).default([]),
    profile: z.string().exactOptional(),
  }),
  by: z.enum(['key', 'token', 'link', 'provider']),
  endsMs: z.number(),
});

/** Returns the browser sessions of a store. `now` returns milliseconds since 1970. */
export function browserSessions(
  store: Store,
  keys: ApiKeys | undefined,
  now: () => number = Date.now,
): BrowserSessions {
  return {
    async start(principal, by, endsMs = Number.POSITIVE_INFINITY) {
      const end = Math.min(endsMs, now() + SESSION_MS);
      const secret = newSecret();
      const value = JSON.stringify({ principal, by, endsMs: end });
      await store.put(secretSpace('browser-session', secret), [{ key: ENTRY, value }], {
        maxMs: Math.max(1, end - now()),
      });
      return { secret, session: { principal, by, expiresAt: new Date(end).toISOString() } };
    },
    async find(secret) {
      const [found] = isSecret(secret) ? await store.get(secretSpace('browser-session', secret), [ENTRY]) : [];
      const record = found && recordSchema.safeParse(parseJson(found.toString())).data;
      if (!record || record.endsMs <= now()) return undefined;
      // The local user exists on servers without keys only.
      if (record.by === 'link' && keys) return undefined;
      const { principal, by, endsMs } = record;
      const scopes = by === 'key' ? await keyScopes(principal.credential, keys, now) : principal.scopes;
      if (scopes === undefined) return undefined;
      return { principal: { ...principal, scopes: scopesIn(scopes) }, by, expiresAt: new Date(endsMs).toISOString() };
    },
    async end(secret) {
      if (isSecret(secret)) await store.delete(secretSpace('browser-session', secret));
    },
    async createLink() {
      const secret = newSecret();
      await store.put(secretSpace('login-link', secret), [{ key: ENTRY, value: OPEN }], { maxMs: LINK_MS });
      return secret;
    },
    async useLink(secret) {
      if (keys || !isSecret(secret)) return false;
      // Of two requests at once, one replaces the entry.
      const [isFirst] = await store.put(secretSpace('login-link', secret), [
        { key: ENTRY, value: 'used', was: Buffer.from(OPEN) },
      ]);
      return isFirst ?? false;
    },
  };
}

/** Returns the principal of a link: anyone with access to the data folder may start programs on its machine anyway. */
export function linkPrincipal(local: Principal): Principal {
  return { ...local, scopes: RIGHTS };
}

/** Returns the scopes of the key of a session as they are now; undefined for a key that was revoked or has expired. */
async function keyScopes(
  credential: string,
  keys: ApiKeys | undefined,
  now: () => number,
): Promise<readonly string[] | undefined> {
  const key = await keys?.find(credential.slice(credential.indexOf(':') + 1));
  if (!key || (key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now())) return undefined;
  return key.scopes ?? [];
}
