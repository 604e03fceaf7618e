import type { ToolIdentity } from '@toolwright/connectors';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { compileFlow } from '../../config/policy/origins/flow.ts';
import { type ExecutionOrigins, openOrigins } from '../../config/policy/origins/origins.ts';
import { openValue, sealValue } from '../../journal/sealed-value.ts';
import type { OpenedExecution } from '../execution.ts';
import type { AuthorEntry, ProgramOrigins } from './noted-reads.ts';

/** The facts about the author of a program that its journal keeps. */
interface Author {
  readonly request: string | undefined;
  /** Whether no public data can have reached the author. */
  readonly isOwn: boolean;
}

/** Opens the origins of an execution. Undefined where the policy does not depend on origins. Raises `STORE_UNAVAILABLE`. */
export async function openProgramOrigins(opened: OpenedExecution): Promise<ProgramOrigins | undefined> {
  const { id, source, context, settings, session, catalog } = opened;
  const { policy, marks } = context;
  if (policy.origins === undefined) return undefined;
  const { sessionId } = settings;
  const author = await authorOf(opened);
  const noteSeen = async () => {
    if (sessionId !== undefined) await marks?.noteSeen({ userId: session.userId, sessionId });
  };
  const { request, isOwn: isOwnProgram } = author;
  const { language } = context;
  const { readers } = policy.origins;
  const flow = isOwnProgram || readers ? await language.flow?.(source).catch(() => undefined) : undefined;
  const idOf = (server: string, name: string) => catalog.functionOf(server, name, language.name)?.id;
  const flowOf = language.flow && compileFlow(flow, idOf);
  const followed = readers && (await followedSources(opened));
  const origins = openOrigins({ rules: policy.origins, request, source, isOwnProgram, flowOf, noteSeen, ...followed });
  await addEarlier(origins, opened);
  const noteFiles = async () => {
    const entries = await session
      .workspace()
      .list('', false)
      .catch(() => []);
    if (entries.length > 0) await origins.sawOther();
  };
  await noteFiles();
  return { ...origins, noteFiles, entry: entryOf(author, id, context) };
}

/** Returns the followed data that the author may have seen, of the session where it is known, and how more of it is noted. */
async function followedSources({ context, settings, session }: OpenedExecution) {
  const { sessionId, hasSeenPublicData, fork } = settings;
  const { userId } = session;
  const { marks } = context;
  const byUser = (await marks?.sourcesOf({ userId })) ?? [];
  const isKnown = sessionId !== undefined && !hasSeenPublicData && !fork;
  return {
    seen: { byUser, byAuthor: isKnown ? ((await marks?.sourcesOf({ userId, sessionId })) ?? []) : byUser },
    async noteSource(source: ToolIdentity) {
      await marks?.noteSource({ userId }, source);
      if (sessionId !== undefined) await marks?.noteSource({ userId, sessionId }, source);
    },
  };
}

/**
 * A session knows what the author saw. Without one, or where the author has other sources, nothing is known. The skills of a user may have
 * texts that another session left.
 */
async function authorOf({ id, context, settings, session, earlier }: OpenedExecution): Promise<Author> {
  const { sessionId, request, hasSeenPublicData, fork } = settings;
  if (earlier) {
    const { sealedRequest, isOwnProgram } = earlier.recording.start;
    const opens = sealedRequest === undefined ? undefined : openValue(keyOf(context), placeOf(id), sealedRequest);
    return { request: typeof opens === 'string' ? opens : undefined, isOwn: isOwnProgram === true };
  }
  if (sessionId === undefined || hasSeenPublicData || fork || !context.marks) return { request, isOwn: false };
  const isClean = await context.marks.isClean({ userId: session.userId, sessionId }, session.isNew);
  return { request, isOwn: isClean && (await context.skills(session.userId).list()).length === 0 };
}

/** Adds the answers that an execution received before it was continued. Those of tools that are unknown now are of unknown origin. */
async function addEarlier(origins: ExecutionOrigins, { earlier, catalog }: OpenedExecution): Promise<void> {
  for (const { number, tool: id, answer } of earlier?.recording.calls.values() ?? []) {
    if (!answer?.ok) continue;
    const tool = await catalog.tool(id).catch(() => undefined);
    if (tool) await origins.received(number, tool, JSON.parse(answer.text));
  }
  for (const { operation, ok, payload } of earlier?.recording.replies ?? []) {
    if (operation === 'extract' && ok) origins.extracted(JSON.parse(payload));
  }
}

function entryOf({ request, isOwn }: Author, id: string, context: OpenedExecution['context']): AuthorEntry {
  return {
    sealedRequest: request === undefined ? undefined : sealValue(keyOf(context), placeOf(id), request),
    isOwnProgram: isOwn ? true : undefined,
  };
}

function keyOf({ dataDir }: OpenedExecution['context']): Buffer {
  return journalKey(dataFolder(dataDir).journalKey);
}

function placeOf(id: string): readonly [string, number, string] {
  return [id, 0, 'request'];
}
