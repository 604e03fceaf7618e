import { isDeepStrictEqual } from 'node:util';
import type { ExecutionCall } from '@toolwright/core';
import { type DraftGraph, readGraph } from './graph.ts';

/** The tools of the n8n plugin that receive or return a whole workflow. */
const STEPS = {
  'n8n-workflows__buildWorkflow': 'built',
  'n8n-workflows__autofixWorkflow': 'fixed',
  'n8n-workflows__validateWorkflow': 'validated',
  'n8n-workflows__createWorkflow': 'created',
} as const;

/** Ids of the tools whose calls have drafts. */
export const DRAFT_TOOLS: readonly string[] = Object.keys(STEPS);

/** A problem that the validation of the plugin found. */
export interface DraftProblem {
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** Name of the node; absent for the workflow as a whole. */
  readonly node?: string;
  readonly path?: string;
  readonly message: string;
  readonly fix: string;
}

/** An n8n workflow that a program has built, fixed, validated or created, as the journal of its execution has it. */
export interface RecordedDraft extends DraftGraph {
  /** Number of the first call with it. */
  readonly call: number;
  readonly at: string;
  readonly steps: readonly (typeof STEPS)[keyof typeof STEPS][];
  /** Absent for a draft that was not validated. */
  readonly problems?: readonly DraftProblem[];
}

interface Draft {
  readonly workflow: unknown;
  recorded: RecordedDraft;
}

/** The most problems of a draft. The validation lists at most as many. */
const MAX_PROBLEMS = 1_000;

/** Returns the drafts in the calls of an execution, oldest first. Calls with the same workflow are one draft. */
export function draftsOf(calls: readonly ExecutionCall[]): RecordedDraft[] {
  const drafts: Draft[] = [];
  for (const call of calls) {
    if (call.outcome !== 'answered' || call.isInvented) continue;
    const step = STEPS[call.tool as keyof typeof STEPS];
    const { workflow, validation } = partsOf(step, call);
    const problems = problemsOf(validation);
    const known = drafts.findLast((draft) => isDeepStrictEqual(draft.workflow, workflow));
    if (known) {
      const steps = [...new Set([...known.recorded.steps, step])];
      known.recorded = { ...known.recorded, steps, at: call.startedAt, ...(problems ? { problems } : {}) };
      continue;
    }
    const graph = readGraph(workflow);
    if (!graph) continue;
    const { number, startedAt } = call;
    const recorded = { ...graph, call: number, at: startedAt, steps: [step], ...(problems ? { problems } : {}) };
    drafts.push({ workflow, recorded });
  }
  return drafts.map(({ recorded }) => recorded);
}

/** Returns the workflow of a call and its validation, where the call has one. */
function partsOf(
  step: RecordedDraft['steps'][number] | undefined,
  { arguments: given, result }: ExecutionCall,
): { readonly workflow?: unknown; readonly validation?: unknown } {
  const returned = Object(result);
  if (step === 'built') return { workflow: result };
  if (step === 'fixed') return { workflow: returned.workflow, validation: returned.remaining };
  // The workflow may be the arguments as a whole: `validateWorkflow(workflow)`.
  const { workflow = given } = Object(given);
  const value = typeof workflow === 'string' ? parsed(workflow) : workflow;
  return { workflow: value, validation: step === 'validated' ? result : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemsOf(validation: unknown): DraftProblem[] | undefined {
  const { errors, warnings } = Object(validation);
  if (!Array.isArray(errors) || !Array.isArray(warnings)) return undefined;
  const of = (level: DraftProblem['level'], list: readonly unknown[]) =>
    list.map((each): DraftProblem => {
      const { code, node, path, message, fix } = Object(each);
      return {
        level,
        code: String(code),
        message: String(message),
        fix: String(fix ?? ''),
        node: typeof node === 'string' ? node : undefined,
        path: typeof path === 'string' ? path : undefined,
      };
    });
  return [...of('error', errors), ...of('warning', warnings)].slice(0, MAX_PROBLEMS);
}
