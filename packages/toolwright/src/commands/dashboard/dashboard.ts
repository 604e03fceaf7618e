import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import type { Store } from '@toolwright/pii';
import { apiKeys } from '@toolwright/server/api-keys';
import { browserSessions } from '@toolwright/server/internal';
import { openBrowser } from '../browser.ts';
import { answers, DEFAULT_URL, findServer } from './running-server.ts';

/** The arguments of `toolwright dashboard`. */
export interface DashboardArguments {
  readonly url: string;
  /** Whether the browser is opened. */
  readonly isOpened: boolean;
  readonly json: boolean;
  /** Whether the server accepts tokens of an issuer. */
  readonly hasIssuer: boolean;
}

/** Returns the address of the server to open: the given one, else the running one. Raises `UsageError` where no Toolwright answers. */
export async function serverUrl(given: string | undefined, dataDir: string): Promise<string> {
  const url = given ?? (await findServer(dataDir))?.url;
  // A remote server may be behind a login page that answers in its place.
  if (url !== undefined && (given === undefined || !isLocal(url) || (await answers(url)))) return url;
  const problem =
    given === undefined
      ? `No running Toolwright uses the data folder ${dataDir}, and none answers at ${DEFAULT_URL}.`
      : `No Toolwright answers at ${given}.`;
  throw new UsageError(
    `${problem} Start it with "toolwright serve" in another terminal, or give its address: --url URL.`,
  );
}

function isLocal(url: string): boolean {
  return /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
}

/** Opens the dashboard of a server on this machine. Without keys, the link has a secret that logs in once. */
export async function openDashboard(
  store: Store,
  { url, isOpened, json, hasIssuer }: DashboardArguments,
  { out, err }: Output,
): Promise<number> {
  const hasKeys = hasIssuer || (await apiKeys(store).hasKeys());
  const link = new URL(url);
  // Browsers send the part after "#" to no server, so that no log has it.
  if (!hasKeys) link.hash = `token=${await browserSessions(store, undefined).createLink()}`;
  if (json) out(JSON.stringify({ url: link.href }));
  else if (!(isOpened && (await openBrowser(link.href)))) out(link.href);
  if (!hasKeys) err('The link works once, within 5 minutes. Do not share it: it has all rights on this server.');
  return EXIT.completed;
}
