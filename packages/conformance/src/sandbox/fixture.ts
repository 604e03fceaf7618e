import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '@toolwright/core';
import {
  checkLimits,
  createCatalog,
  createSessionStore,
  createSkillLibraries,
  execute,
  fileExecutions,
  fileReader,
  type JournalEntry,
  noPackages,
  OPEN_POLICY,
  openWaiting,
  readRecording,
  replayExecution,
} from '@toolwright/core/internal';
import { NO_REDACTION } from '@toolwright/pii/internal';
import type { Language, Sandbox } from '@toolwright/sandbox';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import type { FinishedRun, SandboxCaseRun } from './case.ts';
import { createToolBench } from './tools.ts';

/** The means of a case to run more programs after its first one. */
export type Fixture = Omit<SandboxCaseRun, keyof FinishedRun>;

export interface FixtureOptions {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly dataDir: string;
  readonly limits: Partial<Limits>;
  readonly kill?: () => void;
  /** False for programs that read the state of their process, which a replay does not have. Default: true. */
  readonly isReplayed?: boolean;
}

/** Long enough for a busy machine, short enough for a case that hangs. */
const CASE_TIMEOUT_MS = 60_000;
/** A replay has no time limit to test: it only ends a case that hangs. */
const REPLAY_TIMEOUT_MS = 180_000;

/** Opens fresh tools and sessions for a sandbox. */
export function openFixture({
  sandbox,
  language,
  dataDir,
  limits,
  kill,
  isReplayed = true,
}: FixtureOptions): Fixture & AsyncDisposable {
  const bench = createToolBench();
  const catalog = createCatalog({ connectors: bench.connectors });
  const storage = fileExecutions({ dataDir });
  const sessions = createSessionStore({ dataDir, executions: storage, quota: checkLimits({}) });
  const waiting = openWaiting();
  const skills = createSkillLibraries(dataDir, [language]);
  return {
    sandbox,
    language: language.name,
    received: bench.received,
    mostInFlight: bench.mostInFlight,
    async execute(source, { limits: own, ...settings } = {}) {
      const progress: unknown[] = [];
      const started = performance.now();
      const result = await execute(
        source,
        {
          catalog,
          sandbox,
          language,
          sessions,
          skills,
          dataDir,
          storage,
          ...waiting,
          packages: noPackages(),
          policy: OPEN_POLICY,
          redactorOf: () => NO_REDACTION,
          onDefect: () => undefined,
          hasLogIds: false,
        },
        {
          sessionId: 'conformance',
          createSession: true,
          ...settings,
          limits: checkLimits({ timeoutMs: CASE_TIMEOUT_MS, ...limits, ...own }),
          onProgress: (value) => progress.push(value),
        },
      );
      const elapsedMs = performance.now() - started;
      const allLimits = checkLimits({ ...limits, ...own });
      if (isReplayed) await requireReplay(result.executionId, { sandbox, language, dataDir, limits: allLimits });
      return { result, progress, elapsedMs };
    },
    async runAlone(source, { pauses, seed = 0, timeoutMs = CASE_TIMEOUT_MS, answer }) {
      const { guest, code } = await language.prepare(source);
      const bridge = {
        async request() {
          return { ok: true, payload: (await answer?.()) ?? 'null' };
        },
        notice: () => undefined,
      };
      const program = { guest, code, seed, epochMs: 1_700_000_000_000 };
      const limits = checkLimits({ timeoutMs });
      return sandbox.run(program, { bridge, limits, pauses });
    },
    journal: (id) =>
      readFileSync(join(dataDir, 'executions', `${id}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line): JournalEntry => JSON.parse(line)),
    kill: () => kill?.(),
    [Symbol.asyncDispose]: storage[Symbol.asyncDispose],
  };
}

/** Asserts that an execution that ended by itself is the same when it is replayed. */
async function requireReplay(
  id: string,
  { sandbox, language, dataDir, limits }: FixtureOptions & { limits: Limits },
): Promise<void> {
  const { executions, journalKey: keyFile } = dataFolder(dataDir);
  const key = journalKey(keyFile);
  const recording = await readRecording(fileReader(executions), id, key);
  if (recording.end?.outcome === undefined || /it starts (threads|processes)/.test(recording.gap ?? '')) return;
  const replay = await replayExecution(recording, {
    sandbox,
    language,
    key,
    limits: { ...limits, timeoutMs: REPLAY_TIMEOUT_MS },
  });
  assert.equal(replay.status, 'identical', JSON.stringify(replay).slice(0, 2_000));
}
