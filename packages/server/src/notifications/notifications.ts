import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressesOf, isLoopbackHost, isPrivateAddress, outgoingFetch } from '@toolwright/connectors/internal';
import type { Logger, Store, Toolwright } from '@toolwright/core';
import { messageOf } from '@toolwright/core/internal';
import { type OpenApproval, questionsOf } from '../http/approvals/open-approvals.ts';

interface NotificationOptions {
  readonly toolwright: { readonly executions: Toolwright['executions'] };
  /** Processes that share it report each question once. */
  readonly store: Store;
  /** Receives a POST of JSON with `text`, as incoming webhooks of Slack, Mattermost and others do. */
  readonly webhook: string;
  /** The address at which people open the dashboard. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Milliseconds before each further attempt. Default: {@link RETRY_MS}. */
  readonly retryMs?: readonly number[];
  /** Milliseconds after which another process reports a question in place of a dead one. Default: 120,000. */
  readonly claimMs?: number;
}

/** The questions of one message. */
const MAX_QUESTIONS = 10;
const RETRY_MS: readonly number[] = [1_000, 5_000, 30_000];
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_SHOWN = 100;
/** Milliseconds for which one process reports a question: longer than all of its attempts take. */
const CLAIM_MS = 120_000;

/** The process that reports a question: this one, another one, or none because it was reported. */
type Claim = 'own' | 'other' | 'reported';

/** The claims of processes to report questions. All methods raise `STORE_UNAVAILABLE`. */
interface NotificationClaims {
  /** Claims a question for this process, for the time of a claim. */
  claim(question: Asked): Promise<Claim>;
  /** Notes for all processes that a question was reported. */
  reported(question: Asked): Promise<void>;
  /** Frees a question, which another process may report then. */
  release(question: Asked): Promise<void>;
}

/** A question that may be reported. */
interface Asked {
  readonly executionId: string;
  readonly call: number;
  readonly binding: string;
}

/** Milliseconds for which a store knows that a question was reported. */
const KNOWN_MS = 366 * 24 * 60 * 60_000;
const REPORTED = 'at';
const OWNER = 'owner';
/** Reported questions that this process remembers. */
const MAX_KNOWN = 10_000;

/**
 * Reports questions that wait for a person to a webhook until it is disposed: the tool, the user and a link, and no arguments. Each
 * question is reported by one process. When that process dies meanwhile, another one reports it after the time of a claim.
 */
export function startNotifications(options: NotificationOptions): AsyncDisposable {
  const { toolwright, logger, store, claimMs = CLAIM_MS } = options;
  const ending = new AbortController();
  const claims = notificationClaims(store, claimMs);
  /** Questions that another process reports, or that wait for the store. */
  const later = new Map<string, OpenApproval>();
  let working: Promise<void> = Promise.resolve();

  const report = async (questions: readonly OpenApproval[]) => {
    const fresh: OpenApproval[] = [];
    for (const question of questions) {
      const claim = await claims.claim(question).catch((err: unknown) => {
        logger.warn({ err }, 'a question is reported later');
        return 'other' as const;
      });
      if (claim === 'own') fresh.push(question);
      if (claim === 'other') later.set(nameOf(question), question);
      else later.delete(nameOf(question));
    }
    if (fresh.length === 0) return;
    const isOver = await send(fresh, options, ending.signal);
    // A claim that stays ends by itself.
    await Promise.allSettled(fresh.map(isOver ? claims.reported : claims.release));
  };
  const retry = async () => {
    const open = await Promise.all([...later.values()].map((question) => isStillOpen(question, options)));
    const waiting = [...later.values()].filter((_, index) => open[index]);
    later.clear();
    await report(waiting);
  };
  const next = (work: () => Promise<void>): Promise<void> => {
    working = working.then(work).catch((err: unknown) => logger.warn({ err }, 'a question could not be reported'));
    return working;
  };
  const timer = setInterval(() => later.size > 0 && void next(retry), claimMs / 4);
  timer.unref();

  const follow = async () => {
    for await (const { executions } of toolwright.executions.follow({ all: true, signal: ending.signal })) {
      const asking = executions.filter(({ openQuestions }) => openQuestions > 0);
      const open = await Promise.all(asking.map((each) => questionsOf(toolwright.executions, each, 'redacted')));
      await next(() => report(open.flat()));
    }
  };
  const following = follow().catch((err: unknown) => {
    if (!ending.signal.aborted) logger.warn({ err }, 'questions are not reported any more');
  });
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      ending.abort();
      await following;
      await working;
    },
  };
}

async function isStillOpen(question: OpenApproval, { toolwright }: NotificationOptions): Promise<boolean> {
  const { executionId, userId } = question;
  const open = await toolwright.executions.questions(executionId, userId).catch(() => []);
  return open.some(({ call, binding }) => call === question.call && binding === question.binding);
}

/** Sends one message. Returns whether this was the last attempt: false if the process ends before. */
async function send(
  questions: readonly OpenApproval[],
  { webhook, publicUrl, logger, retryMs = RETRY_MS }: NotificationOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify({ text: messageText(questions, publicUrl) });
  const { host } = new URL(webhook);
  for (const waitMs of [0, ...retryMs]) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    const problem = await post(webhook, body).catch(messageOf);
    if (problem === undefined) return true;
    logger.warn({ host, problem }, 'a question could not be reported to the webhook');
    if (problem.startsWith(REFUSED)) return true;
  }
  return true;
}

const REFUSED = 'refused: ';

/** Sends one request. Returns the problem; undefined on success. The path of a webhook is its secret, so no message has it. */
async function post(webhook: string, body: string): Promise<string | undefined> {
  const { protocol, hostname } = new URL(webhook);
  if (protocol !== 'https:' && !isLoopbackHost(hostname) && !(await addressesOf(hostname)).every(isPrivateAddress)) {
    return `${REFUSED}an http:// address of another network; use https://`;
  }
  const { status } = await outgoingFetch(webhook, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: { 'content-type': 'application/json' },
  });
  if (status >= 200 && status < 300) return undefined;
  // Another address would receive the message: the operator has named this one.
  if (status >= 300 && status < 400) return `${REFUSED}it redirects (status ${status})`;
  return status === 429 || status >= 500 ? `status ${status}` : `${REFUSED}status ${status}`;
}

const KINDS: Readonly<Record<OpenApproval['kind'], string>> = {
  approval: 'needs an approval',
  input: 'asks a question',
  authorization: 'needs a login',
  outcome: 'has an unknown outcome',
};

/** Returns the text of a message, in the markup of Slack. */
export function messageText(questions: readonly OpenApproval[], publicUrl: string): string {
  const lines = questions.slice(0, MAX_QUESTIONS).map(({ executionId, call, userId, kind, tool }) => {
    const link = linkTo(publicUrl, { executionId, call: String(call) });
    return `${plain(tool)} ${KINDS[kind]} (user ${plain(userId)}): <${link}|decide>`;
  });
  const more = questions.length - MAX_QUESTIONS;
  const rest = more > 0 ? [`${more} more: <${linkTo(publicUrl, {})}|open the queue>`] : [];
  return ['*Toolwright waits for you*', ...lines, ...rest].join('\n');
}

function linkTo(publicUrl: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString();
  return `${publicUrl.replace(/\/$/, '')}/ui/approvals${search === '' ? '' : `?${search}`}`;
}

/** Names come from servers and users: they must not mention people, make links or hide text. */
function plain(text: string): string {
  return text
    .slice(0, MAX_SHOWN)
    .replaceAll(/[\p{C}\u2028\u2029]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`|]/g, '\u200B$&');
}

/** Opens the claims in a store, whose clock ends the claim of a dead process after `claimMs`. */
function notificationClaims(store: Store, claimMs: number): NotificationClaims {
  const own = randomUUID();
  const known = new Set<string>();
  const remember = (name: string) => {
    const [oldest] = known;
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    known.add(name);
  };
  const isReported = async (name: string) => {
    const [at] = known.has(name) ? [true] : await store.get(`notified:${name}`, [REPORTED]);
    if (at !== undefined) remember(name);
    return at !== undefined;
  };
  return {
    async claim(question) {
      const name = nameOf(question);
      if (await isReported(name)) return 'reported';
      const change = { key: OWNER, value: own, was: null };
      const [isOwn] = await store.put(`notifying:${name}`, [change], { maxMs: claimMs });
      if (!isOwn) return 'other';
      // Another process may have reported it, and freed its claim, between the two steps.
      if (!(await isReported(name))) return 'own';
      await store.delete(`notifying:${name}`);
      return 'reported';
    },
    async reported(question) {
      const name = nameOf(question);
      remember(name);
      await store.put(`notified:${name}`, [{ key: REPORTED, value: `${Date.now()}` }], { maxMs: KNOWN_MS });
      await store.delete(`notifying:${name}`);
    },
    release: (question) => store.delete(`notifying:${nameOf(question)}`),
  };
}

/** Returns the name of a question: that of another call, or of changed arguments, is another one. */
function nameOf({ executionId, call, binding }: Asked): string {
  return createHash('sha256').update(`${executionId}.${call}.${binding}`).digest('base64url');
}
