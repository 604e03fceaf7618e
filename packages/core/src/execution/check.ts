import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Checker, CheckProblem, CheckVerdict, Language } from '@toolwright/sandbox';
import type { ProgramTypes, ToolTypes, TypeSource } from '@toolwright/sandbox/internal';
import type { Catalog } from '../catalog/catalog.ts';
import { serverFiles } from '../catalog/server-files.ts';
import { checkedModule, checkedTools } from '../catalog/signatures/typescript/checked-types.ts';
import type { Tool } from '../catalog/tool.ts';
import { ToolwrightError } from '../errors.ts';
import { openGuestSkills } from '../skills/guest-skills.ts';
import type { ReadableFiles } from '../workspaces/files.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import { guestPath, isMissing, parseGuestPath } from '../workspaces/paths.ts';
import { describeProblems } from './check-report.ts';
import type { ExecutionContext, ExecutionSettings } from './execute.ts';
import { describeError } from './failure.ts';
import type { ExecutionError } from './result.ts';

/** What a check needs beside the program. */
export interface CheckContext {
  /** Undefined where the language has none. */
  readonly checker?: Checker | 'off' | undefined;
  readonly catalog: Catalog;
  readonly language: Language;
  /** What the program can read and import. */
  readonly files: Pick<ReadableFiles, 'read'>;
  readonly maxFileBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds that a check waits for servers to list their tools; of one that is slower, anything is allowed. */
const TOOLS_WAIT_MS = 5_000;

/** How the check before a run ended, as statistics tell it, and the mistake that keeps the program from running. */
export interface PreRunCheck {
  readonly outcome: string;
  readonly error?: ExecutionError;
}

/** Checks a prepared program, `source` as `prepare` gave it, unless it can do nothing that cannot be undone. Never rejects. */
export async function checkBeforeRun(source: string, context: CheckContext): Promise<PreRunCheck> {
  const { checker } = context;
  if (typeof checker === 'object' && !checker.isWorthIt(source)) return { outcome: 'skipped: it calls no tool' };
  const verdict = await checkProgram(source, context);
  if ('skipped' in verdict) return { outcome: `skipped: ${verdict.skipped}` };
  if (verdict.problems.length === 0) return { outcome: 'passed' };
  return { outcome: 'failed', error: await describeProblems(verdict.problems, context.catalog) };
}

/** What a check found. Its `error` is what an execution would have told. */
export type CheckResult =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly error: ExecutionError; readonly problems: readonly CheckProblem[] }
  | { readonly status: 'skipped'; readonly reason: string };

/** Prepares and checks a program without running it. Resolves for all that can be wrong with it. */
export async function checkSource(
  source: string,
  context: Pick<ExecutionContext, 'catalog' | 'language' | 'checker' | 'sessions' | 'skills' | 'dataDir' | 'onDefect'>,
  { session, user: caller, limits }: Pick<ExecutionSettings, 'session' | 'user' | 'limits'>,
): Promise<CheckResult> {
  const { catalog, language, sessions, onDefect } = context;
  const id = randomUUID();
  const { workspace, mounts, user } = await sessions.enter({ user: caller, session }, id, limits);
  const skills = openGuestSkills(context.skills(user), join(context.dataDir, 'executions', `${id}.skills`));
  try {
    const prepared = await language.prepare(source);
    const files = mountFiles({ ...mounts, skills: skills.files, servers: serverFiles(catalog, language.name) });
    const verdict = await checkProgram(prepared.source, { ...context, files, maxFileBytes: limits.sourceBytes });
    if ('skipped' in verdict) return { status: 'skipped', reason: verdict.skipped };
    const { problems } = verdict;
    if (problems.length === 0) return { status: 'passed' };
    return { status: 'failed', error: await describeProblems(problems, catalog), problems };
  } catch (error) {
    return { status: 'failed', error: describeError(error, onDefect), problems: [] };
  } finally {
    await skills.end(false);
    if (session === undefined) await workspace.destroy().catch(() => undefined);
  }
}

async function checkProgram(source: string, context: CheckContext): Promise<CheckVerdict> {
  const { checker } = context;
  if (checker === undefined) return { skipped: `${context.language.name} programs are not checked` };
  if (checker === 'off') return { skipped: 'it is turned off' };
  return checker.check(source, programTypes(context), context.signal);
}

function programTypes({ catalog, language, files, maxFileBytes }: CheckContext): ProgramTypes {
  const read = async (path: string): Promise<TypeSource> => {
    const text = (await files.read(path, maxFileBytes)).toString('utf8');
    // What does not parse is told when it is imported.
    await language.prepareModule(text, path);
    return { text, path };
  };
  return {
    server: (slug) =>
      orUnavailable(async () => {
        const { tools } = await catalog.toolsOf(slug);
        return { text: checkedModule(tools), path: `/servers/${slug}/index.ts` };
      }),
    tools: (names) => toolTypes(names, catalog),
    file: (path) =>
      orUnavailable(async () => {
        const parts = parseGuestPath(path);
        const isRooted = ['workspace', 'skills', 'servers'].includes(parts[0] ?? '');
        const own = guestPath(isRooted ? parts : ['workspace', ...parts]);
        // TypeScript's convention: `./lib.js` is imported where `lib.ts` is meant. A tool's file needs no ending.
        const asTypescript = parts[0] === 'servers' ? /(?:\.[jt]s)?$/ : /\.js$/;
        const found = await read(own).catch((error: unknown) => {
          if (!asTypescript.test(own) || !isMissing(error)) throw error;
          return read(own.replace(asTypescript, '.ts'));
        });
        if (typeof found === 'string') return found;
        return { text: found.text, path: found.path.slice(isRooted ? 0 : '/workspace'.length) };
      }),
  };
}

async function toolTypes(names: readonly string[], catalog: Catalog): Promise<ToolTypes> {
  const unknown: string[] = [];
  const found = await Promise.all(
    names.map(async (name): Promise<Tool[]> => {
      try {
        const tool = await within(catalog.tool(name));
        return tool === undefined ? [] : [tool];
      } catch (error) {
        if (error instanceof ToolwrightError && error.code === 'UNKNOWN_TOOL') unknown.push(name);
        return [];
      }
    }),
  );
  return { declarations: checkedTools(found.flat()), unknown };
}

async function orUnavailable(get: () => Promise<TypeSource>): Promise<TypeSource> {
  try {
    return (await within(get())) ?? 'unavailable';
  } catch (error) {
    const isUnknown = error instanceof ToolwrightError && error.code === 'UNKNOWN_SERVER';
    return isUnknown || isMissing(error) ? 'missing' : 'unavailable';
  }
}

async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TOOLS_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
