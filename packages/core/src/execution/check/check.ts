import { randomUUID } from 'node:crypto';
import type { Tool } from '@toolwright/connectors';
import type { CheckProblem, CheckVerdict, Language, PreparedSource } from '@toolwright/sandbox';
import type { ProgramTypes, ToolTypes, TypeSource } from '@toolwright/sandbox/internal';
import { serverFiles } from '../../catalog/server-files.ts';
import { checkedModule, checkedTools } from '../../catalog/signatures/typescript/checked-types.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionError } from '../../history/result.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import type { KeptStore } from '../../sessions/kept/kept.ts';
import { changedSkillsFolder, openGuestSkills } from '../../skills/guest-skills.ts';
import type { ReadableFiles } from '../../workspaces/files.ts';
import { mountFiles } from '../../workspaces/mounts.ts';
import { guestPath, isMissing, parseGuestPath } from '../../workspaces/paths.ts';
import type { Execution, ExecutionContext, ExecutionSettings } from '../execution.ts';
import { describeError } from '../outcome/failure.ts';
import type { Packages } from '../packages/packages.ts';
import { describeProblems } from './check-report.ts';
import { type ExpectedCall, expectedCalls } from './expected-calls.ts';

/** The outcome of the check before a run, as in the statistics, and the mistake that keeps the program from running. */
export interface PreRunCheck {
  readonly outcome: string;
  readonly error?: ExecutionError;
}

/**
 * The result of a check. `error` is the error that an execution would end with. `calls`: how the policy would decide, where the text of the
 * program shows its calls.
 */
export type CheckResult = { readonly calls?: readonly ExpectedCall[] } & (
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly error: ExecutionError; readonly problems: readonly CheckProblem[] }
  | { readonly status: 'skipped'; readonly reason: string }
);

/** The context of a check without a run. */
export type CheckContext = Omit<ExecutionContext, 'sandbox'>;

interface ProgramTypesOptions {
  readonly catalog: UserCatalog;
  readonly language: Language;
  /** The files that the program can read and import. */
  readonly files: ReadableFiles;
  readonly packages: Packages;
  readonly maxFileBytes: number;
}

/** Only the prepared text of such a module has exports that the check knows. */
const COMMON_JS = /\bexports\b/;
/** Milliseconds that a check waits for a server to list its tools; calls of a slower server are not checked. */
const TOOLS_WAIT_MS = 5_000;

/** Checks a prepared program before it runs. Skips programs whose every effect can be undone. */
export async function checkProgram(execution: Execution, { source }: PreparedSource): Promise<PreRunCheck> {
  const { context, catalog, settings, guestFiles } = execution;
  if (settings.check === false) return { outcome: 'skipped: it is turned off' };
  if (context.checker?.isWorthIt(source) === false) return { outcome: 'skipped: it calls no tool' };
  const verdict = await verdictOn(source, context, catalog, guestFiles().files, settings);
  if ('skipped' in verdict) return { outcome: `skipped: ${verdict.skipped}` };
  const problems = await withoutKeptNames(verdict.problems, execution.session.kept);
  if (problems.length === 0) return { outcome: 'passed' };
  return { outcome: 'failed', error: await describeProblems(problems, catalog, context.packages, source) };
}

/** Prepares and checks a program without running it. Resolves for every mistake in it. Raises `UNKNOWN_SESSION`. */
export async function checkSource(
  source: string,
  context: CheckContext,
  settings: ExecutionSettings,
): Promise<CheckResult> {
  const { language, dataDir } = context;
  const { sessionId, userId, limits } = settings;
  const id = randomUUID();
  const session = await context.sessions.open({ userId, sessionId, isReadOnly: true }, id, limits);
  const catalog = context.catalog.forUser(session.userId);
  const skills = openGuestSkills(context.skills(session.userId), changedSkillsFolder(dataDir, id));
  try {
    const prepared = await language.prepare(source);
    const files = mountFiles({
      ...session.mounts(),
      skills: skills.files,
      servers: serverFiles(catalog, language.name),
    });
    const verdict = await verdictOn(prepared.source, context, catalog, files, settings);
    const flow = await language.flow?.(prepared.source).catch(() => undefined);
    const calls = await expectedCalls(flow, {
      ...{ catalog, policy: context.policy, caller: { userId: session.userId, sessionId } },
      ...{ language: language.name, hasSeenPublicData: settings.hasSeenPublicData === true },
    });
    if ('skipped' in verdict) return { status: 'skipped', reason: verdict.skipped, calls };
    const problems = await withoutKeptNames(verdict.problems, session.kept);
    if (problems.length === 0) return { status: 'passed', calls };
    return {
      calls,
      status: 'failed',
      error: await describeProblems(problems, catalog, context.packages, prepared.source),
      // The arguments of the source are for the description only.
      problems: problems.map(({ given: _, ...problem }) => problem),
    };
  } catch (error) {
    return { status: 'failed', error: describeError(error, context.onDefect), problems: [] };
  } finally {
    await skills.end('the program did not run');
    if (sessionId === undefined)
      await session.workspace
        .made()
        ?.destroy()
        .catch(() => undefined);
    await session.discard();
  }
}

/** Returns the problems without those of names that the session keeps. Their types are unknown. */
async function withoutKeptNames(
  problems: readonly CheckProblem[],
  kept: KeptStore | undefined,
): Promise<readonly CheckProblem[]> {
  if (!kept || !problems.some(({ kind }) => kind === 'unknown-name')) return problems;
  const index = await kept.index();
  return problems.filter(
    ({ kind, name }) => kind !== 'unknown-name' || name === undefined || !Object.hasOwn(index, name),
  );
}

async function verdictOn(
  source: string,
  { checker, language, packages }: CheckContext,
  catalog: UserCatalog,
  files: ReadableFiles,
  settings: ExecutionSettings,
): Promise<CheckVerdict> {
  if (checker === undefined) return { skipped: `${language.name} programs are not checked` };
  const types = programTypes({ catalog, language, files, packages, maxFileBytes: settings.limits.sourceBytes });
  const { signal, userId: tenant = DEFAULT_USER } = settings;
  return checker.check(source, types, { tenant, signal });
}

/** Returns the types that a check of a program needs, read when the checker asks for them. */
function programTypes({ catalog, language, files, packages, maxFileBytes }: ProgramTypesOptions): ProgramTypes {
  const read = async (path: string): Promise<TypeSource> => {
    const text = (await files.read(path, maxFileBytes)).toString('utf8');
    // A file that does not parse raises its error when the program imports it.
    const prepared = await language.prepareModule(text, path);
    return { text: COMMON_JS.test(text) ? prepared : text, path };
  };
  return {
    server: (slug) =>
      orUnavailable(async () => {
        const { tools } = await catalog.toolsOf(slug);
        return { text: await checkedModule(tools), path: `/servers/${slug}/index.ts` };
      }),
    tools: (names) => toolTypes(names, catalog),
    async packageTypes(specifier) {
      if ((await packages.module(specifier)) === undefined) return undefined;
      return (await packages.types(specifier).catch(() => undefined)) ?? new Map();
    },
    file: (path) =>
      orUnavailable(async () => {
        const parts = parseGuestPath(path);
        const isRooted = ['workspace', 'skills', 'servers'].includes(parts[0] ?? '');
        const own = guestPath(isRooted ? parts : ['workspace', ...parts]);
        // In TypeScript, an import of `./lib.js` refers to `lib.ts`. A tool's file needs no extension.
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

async function toolTypes(names: readonly string[], catalog: UserCatalog): Promise<ToolTypes> {
  const unknown: string[] = [];
  const found = await Promise.all(
    names.map(async (name): Promise<Tool[]> => {
      try {
        const tool = await within(catalog.tool(name));
        return tool === undefined ? [] : [catalog.withObserved(tool)];
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
