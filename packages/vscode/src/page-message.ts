import type { PageMessage } from '@toolwright/dashboard/messages';

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/** Returns a message of a page; undefined for anything else. The page shows texts of others, so that nothing is taken on trust. */
export function parseMessage(sent: unknown): PageMessage | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const message = sent as Readonly<Record<string, unknown>>;
  const hasTexts = (...names: readonly string[]) => names.every((name) => typeof message[name] === 'string');
  const hasId = Number.isSafeInteger(message.id);
  const isComplete: Readonly<Record<PageMessage['is'], () => boolean>> = {
    ready: () => true,
    signIn: () => true,
    signOut: () => true,
    request: () => hasId && METHODS.has(message.method) && hasTexts('path') && hasHeaders(message) && hasBody(message),
    follow: () => hasId && hasTexts('path'),
    cancel: () => hasId,
    download: () => hasTexts('path', 'name'),
    save: () => hasTexts('name', 'text'),
    open: () => hasTexts('url'),
  };
  const kind = String(message.is);
  const isKnown = Object.hasOwn(isComplete, kind) && isComplete[kind as PageMessage['is']]();
  return isKnown ? (sent as PageMessage) : undefined;
}

function hasHeaders({ headers }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((value) => typeof value === 'string')
  );
}

function hasBody({ body }: Readonly<Record<string, unknown>>): boolean {
  return body === undefined || typeof body === 'string' || body instanceof ArrayBuffer;
}
