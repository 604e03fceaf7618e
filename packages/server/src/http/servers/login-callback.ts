import type { Toolwright } from '@toolwright/core';
import { ToolwrightError } from '@toolwright/core';
import { addressOf } from '../../auth.ts';
import type { RateLimiter } from '../../rate-limit.ts';
import type { HttpApi } from '../api.ts';
import { escaped, PAGE_HEADERS, plainPage } from '../requests/plain-page.ts';

const PATH = '/oauth/callback';
/** Parameters of a callback (RFC 6749, section 4.1.2; RFC 9207). */
const PARAMETERS = ['state', 'code', 'iss', 'error'] as const;
/** Most characters of one parameter. */
const MAX_CHARACTERS = 8_192;

export interface LoginCallbackOptions {
  readonly toolwright: Toolwright;
  readonly limiter: RateLimiter;
}

/**
 * Adds the page to which browsers return after a login to a server. The browser has no key. So the page names the user and the
 * server, and the login ends after a confirmation. Otherwise a link of somebody else could connect this account to theirs.
 */
export function addLoginCallback(api: HttpApi, { toolwright: { logins }, limiter }: LoginCallbackOptions): void {
  api.use(PATH, async (context, next) => {
    await limiter.unauthenticated(addressOf(context));
    await next();
  });
  api.get(PATH, async (context) => {
    const params = knownParameters((name) => context.req.query(name));
    const owner = await logins.owner(params);
    if (owner === undefined) return context.html(plainPage(escaped(UNKNOWN)), 400, PAGE_HEADERS);
    const { server, userId } = owner;
    const question = `Do you want to connect ${server} to the Toolwright account of "${userId}"?`;
    const warning = 'Continue only if you have started this login yourself.';
    const inputs = [...params].map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`);
    const form = `<form method="post" action="callback">${inputs.join('')}<button>Connect</button></form>`;
    return context.html(plainPage(`${escaped(question)} ${escaped(warning)}`, form), 200, PAGE_HEADERS);
  });
  api.post(PATH, async (context) => {
    const body = await context.req.parseBody();
    const params = knownParameters((name) => (typeof body[name] === 'string' ? body[name] : undefined));
    try {
      const { server } = await logins.finish(params);
      return context.html(
        plainPage(escaped(`You are logged in to ${server}. You can close this page.`)),
        200,
        PAGE_HEADERS,
      );
    } catch (error) {
      if (!(error instanceof ToolwrightError)) throw error;
      return context.html(plainPage(escaped(error.message)), 400, PAGE_HEADERS);
    }
  });
}

const UNKNOWN = 'This login is unknown, finished already, or older than 10 minutes. Start it again.';

function knownParameters(textOf: (name: string) => string | undefined): URLSearchParams {
  const known = PARAMETERS.flatMap((name): [string, string][] => {
    const value = textOf(name);
    return value === undefined || value.length > MAX_CHARACTERS ? [] : [[name, value]];
  });
  return new URLSearchParams(known);
}
