import { createInterface } from 'node:readline';
import type { LoginLink, Toolwright } from '@toolwright/core';
import { EXIT, UsageError } from '@toolwright/core/command';
import { openBrowser } from '../browser.ts';
import type { ServersContext } from './context.ts';

/** How a login reaches its user. */
export interface LoginOptions {
  readonly words: readonly string[];
  /** Whether a browser is opened. */
  readonly opensBrowser: boolean;
  readonly signal: AbortSignal;
  /** Lines that the user enters. */
  readonly input?: NodeJS.ReadableStream;
}

/** Logs the local user in to a server: opens its login page, and waits until the browser returns or its address is entered. */
export async function logIn(
  { output }: ServersContext,
  { logins }: Toolwright,
  { words, opensBrowser, signal, input = process.stdin }: LoginOptions,
): Promise<number> {
  const name = serverName('login', words);
  const link = await logins.start(name);
  const isOpen = opensBrowser && (await openBrowser(link.url));
  output.err(isOpen ? 'Your browser shows the login page. If it does not, open:' : 'Open this link in a browser:');
  output.err(link.url);
  output.err('If the browser cannot reach this machine after the login, enter the address that it shows:');
  await finished(logins, link, { signal, input });
  output.out(`Logged in to ${name}.`);
  return EXIT.completed;
}

/** Logs the local user out of a server. */
export async function logOut(
  { output }: ServersContext,
  { logins }: Toolwright,
  words: readonly string[],
): Promise<number> {
  const name = serverName('logout', words);
  const { wasIn, isRevoked } = await logins.logOut(name);
  if (!wasIn) output.out(`There was no login to ${name}.`);
  else if (isRevoked) output.out(`Logged out of ${name}. Its tokens are revoked.`);
  else output.out(`Logged out of ${name}. Its issuer has not revoked the tokens: they end by themselves.`);
  return EXIT.completed;
}

function serverName(action: string, words: readonly string[]): string {
  const [name, more] = words;
  if (name === undefined || more !== undefined) throw new UsageError(`Use "servers ${action} NAME".`);
  return name;
}

/** Resolves when the login is finished. Rejects when its link has expired, and with the problem of an entered address. */
function finished(
  logins: Toolwright['logins'],
  { server, expiresAtMs }: LoginLink,
  { signal, input }: { readonly signal: AbortSignal; readonly input: NodeJS.ReadableStream },
): Promise<void> {
  const lines = createInterface({ input });
  const ends: (() => void)[] = [() => lines.close()];
  return new Promise<void>((resolve, reject) => {
    const fail = (text: string) => reject(new UsageError(text));
    const timer = setTimeout(
      () => fail('Nobody has logged in within 10 minutes. Run the command again.'),
      expiresAtMs - Date.now(),
    );
    const forget = logins.onChange((change) => {
      if (change.server !== server) return;
      if (change.event === 'login') resolve();
      if (change.event === 'failure') reject(change.error);
    });
    ends.push(() => clearTimeout(timer), forget);
    signal.addEventListener('abort', () => fail('The login was interrupted.'), { once: true });
    lines.on('line', (line) => {
      const address = line.trim();
      if (address === '') return;
      if (URL.canParse(address)) logins.finish(new URL(address).searchParams).catch(reject);
      else fail('This is not an address. Enter the whole address that the browser shows.');
    });
  }).finally(() => {
    for (const end of ends) end();
  });
}
