import { type FSWatcher, mkdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../stores/data-folder/integrity.ts';
import { createOnce, namesIn, readIfPresent } from '../stores/data-folder/own-files.ts';
import type { DecisionEntry } from './entries.ts';
import { openEntry, sealEntry } from './sealed-value.ts';

/** A decision that was made and that the execution may not have applied yet. */
export interface StoredDecision extends DecisionEntry {
  readonly executionId: string;
  /** Binding of the question; see `QuestionEntry`. */
  readonly binding: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The decisions about executions. Any process adds them, and the process of the execution applies them. */
export interface Decisions {
  /** Adds a decision. Resolves to false if the question has one: the first one holds. Raises `CONFIG_INVALID`. */
  add(decision: StoredDecision): Promise<boolean>;
  /** Returns the decision of a question; undefined also for one that was changed by others. */
  find(executionId: string, call: number, question?: number): Promise<StoredDecision | undefined>;
  /** Calls a function with the id of an execution when it gets a decision. Returns the function that ends this. */
  onDecision(listener: (executionId: string) => void): () => void;
  /** Removes a decision that does not hold for its question: the tool, the arguments or the user have changed. */
  forget(executionId: string, call: number, question?: number): Promise<void>;
}

/** The decisions of a data folder. */
export interface FileDecisions extends Decisions, Disposable {
  /** Returns the ids of the executions with decisions, also with those that they have applied. */
  executions(): ReadonlySet<string>;
  /** Removes the decisions of an ended execution. */
  remove(executionId: string): void;
}

/** Returns the text that a storage keeps of a decision: its authentication code, and the decision with sealed values. */
export function decisionText(key: Buffer, decision: StoredDecision): string {
  const text = JSON.stringify(sealEntry(key, decision.executionId, 'decision', { ...decision }));
  return `${codeOf(key, text)}\n${text}`;
}

/** Returns the decision of a stored text; undefined for one that was changed by others. */
export function decisionOf(key: Buffer, executionId: string, stored: string): StoredDecision | undefined {
  const [code, text = ''] = stored.split('\n', 2);
  if (code !== codeOf(key, text)) return undefined;
  const entry = { ...JSON.parse(text), entry: 'decision' } as StoredDecision & { readonly entry: 'decision' };
  return openEntry(key, executionId, entry);
}

/** The name of a file: the execution, the call, and the question if it is not the first one of its call. */
const NAME = /^([\da-f-]{36})\.(\d+)(?:\.(\d+))?$/;

/** Returns the name of the file of a decision. */
export function decisionFile(id: string, call: number, question = 1): string {
  return `${id}.${call}${question === 1 ? '' : `.${question}`}`;
}

/** Returns the question of a file of decisions; undefined for other names. */
export function parseDecisionFile(name: string): { id: string; call: number; question: number } | undefined {
  const [, id, call, question = 1] = NAME.exec(name) ?? [];
  return id === undefined ? undefined : { id, call: Number(call), question: Number(question) };
}

/** Opens the decisions in `<folder>`: one file each, which exists completely or not at all. */
export function openDecisions(folder: string, key: () => Buffer): FileDecisions {
  const listeners = new Set<(executionId: string) => void>();
  let watcher: FSWatcher | undefined;
  const pathOf = (id: string, call: number, question?: number) => join(folder, decisionFile(id, call, question));
  const tell = (id: string) => {
    for (const listener of [...listeners]) listener(id);
  };
  const startWatching = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    watcher = watch(folder, { persistent: false }, (_event, name) => {
      const [, id] = NAME.exec(name ?? '') ?? [];
      if (id !== undefined) tell(id);
    });
    // Without the events, the next beat of the process finds the decision.
    watcher.on('error', () => undefined);
  };
  return {
    async add(decision) {
      const { executionId, number, question } = decision;
      if (!createOnce(pathOf(executionId, number, question), decisionText(key(), decision))) return false;
      tell(executionId);
      return true;
    },
    async find(executionId, call, question) {
      const stored = quietly(() => readIfPresent(pathOf(executionId, call, question)));
      return stored === undefined ? undefined : decisionOf(key(), executionId, stored);
    },
    executions: () => new Set((quietly(() => namesIn(folder)) ?? []).flatMap((name) => NAME.exec(name)?.[1] ?? [])),
    onDecision(listener) {
      if (!watcher) startWatching();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async forget(executionId, call, question) {
      rmSync(pathOf(executionId, call, question), { force: true });
    },
    remove(executionId) {
      for (const name of quietly(() => namesIn(folder)) ?? [])
        if (name.startsWith(`${executionId}.`)) rmSync(join(folder, name), { force: true });
    },
    [Symbol.dispose]() {
      watcher?.close();
      listeners.clear();
    },
  };
}

/** A decision that cannot be read is none: its question stays open. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
