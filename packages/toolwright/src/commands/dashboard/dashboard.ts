import { EXIT, type Output } from '@toolwright/core/command';
import type { Store } from '@toolwright/pii';
import { apiKeys } from '@toolwright/server/api-keys';
import { browserSessions } from '@toolwright/server/internal';
import { openBrowser } from '../browser.ts';

/** The arguments of `toolwright dashboard`. */
export interface DashboardArguments {
  readonly url: string;
  /** Whether the browser is opened. */
  readonly isOpened: boolean;
  readonly json: boolean;
  /** Whether the server accepts tokens of an issuer. */
  readonly hasIssuer: boolean;
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
