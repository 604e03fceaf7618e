import { randomUUID } from 'node:crypto';
import {
  type FSWatcher,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { dataFolderError } from './data-folder.ts';
import type { DecisionEntry } from './entries.ts';
import { codeOf } from './integrity.ts';

/** A decision that was made and that the execution may not have applied yet. */
export interface StoredDecision extends DecisionEntry {
  readonly executionId: string;
  /** Binding of the question; see `QuestionEntry`. */
  readonly binding: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The decisions of a data folder. Any process adds them, and the process of the execution applies them. */
export interface Decisions {
  /** Adds a decision. Returns false if the question has one: the first one holds. Raises `CONFIG_INVALID`. */
  add(decision: StoredDecision): boolean;
  /** Returns the decision of a question; undefined also for one that was changed by others. */
  find(executionId: string, question: number): StoredDecision | undefined;
  /** Calls a function with the id of an execution when it gets a decision. Returns the function that ends this. */
  onDecision(listener: (executionId: string) => void): () => void;
  /** Removes a decision that does not hold for its question: the tool, the arguments or the user have changed. */
  forget(executionId: string, question: number): void;
  /** Removes the decisions of an ended execution. */
  remove(executionId: string): void;
}

const NAME = /^([\da-f-]{36})\.(\d+)$/;

/** Opens the decisions in `<folder>`: one file each, which exists completely or not at all. */
export function openDecisions(folder: string, key: () => Buffer): Decisions & Disposable {
  const listeners = new Set<(executionId: string) => void>();
  let watcher: FSWatcher | undefined;
  const pathOf = (id: string, question: number) => join(folder, `${id}.${question}`);
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
    add(decision) {
      const text = JSON.stringify(decision);
      const own = join(folder, `new-${randomUUID()}`);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(own, `${codeOf(key(), text)}\n${text}`, { mode: 0o600, flag: 'wx' });
        linkSync(own, pathOf(decision.executionId, decision.number));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw dataFolderError(folder, cause);
      } finally {
        rmSync(own, { force: true });
      }
      tell(decision.executionId);
      return true;
    },
    find(executionId, question) {
      const [code, text = ''] = contentOf(pathOf(executionId, question))?.split('\n', 2) ?? [];
      return code !== undefined && code === codeOf(key(), text) ? JSON.parse(text) : undefined;
    },
    onDecision(listener) {
      if (!watcher) startWatching();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    forget: (executionId, question) => rmSync(pathOf(executionId, question), { force: true }),
    remove(executionId) {
      for (const name of namesIn(folder)) if (name.startsWith(`${executionId}.`)) unlinkSync(join(folder, name));
    },
    [Symbol.dispose]() {
      watcher?.close();
      listeners.clear();
    },
  };
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
