import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CheckProblem, CheckVerdict, PreparedSource } from '@toolwright/sandbox';
import { serverFiles } from '../../catalog/server-files.ts';
import type { ExecutionError } from '../../history/result.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import type { KeptStore } from '../../sessions/kept/kept.ts';
import { openGuestSkills } from '../../skills/guest-skills.ts';
import { mountFiles } from '../../workspaces/mounts.ts';
import type { Execution, ExecutionContext, ExecutionSettings } from '../execution.ts';
import { describeError } from '../outcome/failure.ts';
import { describeProblems } from './check-report.ts';
import { type ExpectedCall, expectedCalls } from './expected-calls.ts';
import { programTypes } from './program-types.ts';

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

/** The parts of an execution's context that a check without a run uses. */
export type CheckContext = Pick<
  ExecutionContext,
  'catalog' | 'language' | 'checker' | 'policy' | 'sessions' | 'skills' | 'dataDir' | 'packages' | 'onDefect'
>;

/** Checks a prepared program before it runs. Skips programs whose every effect can be undone. */
export async function checkProgram(execution: Execution, { source }: PreparedSource): Promise<PreRunCheck> {
  const { context, catalog, settings, files } = execution;
  if (settings.check === false) return { outcome: 'skipped: it is turned off' };
  if (context.checker?.isWorthIt(source) === false) return { outcome: 'skipped: it calls no tool' };
  const verdict = await verdictOn(source, { ...context, catalog }, { files, settings });
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
  const skills = openGuestSkills(context.skills(session.userId), join(dataDir, 'executions', `${id}.skills`));
  try {
    const prepared = await language.prepare(source);
    const files = mountFiles({ ...session.mounts, skills: skills.files, servers: serverFiles(catalog, language.name) });
    const verdict = await verdictOn(prepared.source, { ...context, catalog }, { files, settings });
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
    if (sessionId === undefined) await session.workspace.destroy().catch(() => undefined);
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
  {
    checker,
    catalog,
    language,
    packages,
  }: Pick<CheckContext, 'checker' | 'language' | 'packages'> & Pick<Execution, 'catalog'>,
  { files, settings }: Pick<Execution, 'files'> & { settings: Pick<ExecutionSettings, 'limits' | 'signal' | 'userId'> },
): Promise<CheckVerdict> {
  if (checker === undefined) return { skipped: `${language.name} programs are not checked` };
  const types = programTypes({ catalog, language, files, packages, maxFileBytes: settings.limits.sourceBytes });
  const { signal, userId: tenant = DEFAULT_USER } = settings;
  return checker.check(source, types, { tenant, signal });
}
