import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '@toolwright/connectors/internal';
import type {
  ExecutionCall,
  GraphConnection,
  GraphNode,
  GraphProblem,
  PluginPage,
  RecordedGraph,
} from '@toolwright/core';
import { isObject } from '../json.ts';

/** The tools of the n8n plugin that receive or return a whole workflow. */
const STEPS = {
  'n8n-workflows__buildWorkflow': 'built',
  'n8n-workflows__autofixWorkflow': 'fixed',
  'n8n-workflows__validateWorkflow': 'validated',
  'n8n-workflows__createWorkflow': 'created',
} as const;

/** The page with the workflows that programs have built, fixed, validated or created. */
export const draftsPage: PluginPage = {
  key: 'n8n-drafts',
  title: 'n8n drafts',
  emptyText: 'Programs make drafts of n8n workflows with buildWorkflow of n8n-workflows.',
  tools: Object.keys(STEPS),
  graphs: draftsOf,
};

interface Draft {
  readonly workflow: unknown;
  recorded: RecordedGraph;
}

/** The most problems of a draft. The validation lists at most as many. */
const MAX_PROBLEMS = 1_000;

/** The nodes and connections of a workflow. */
type WorkflowGraph = Omit<RecordedGraph, 'call' | 'at' | 'steps' | 'problems'>;

/** The most nodes and connections of a graph. The largest public templates have some hundred nodes. */
const MAX_NODES = 1_000;
const MAX_CONNECTIONS = 4_000;

/** Returns the drafts in the calls of an execution, oldest first. Calls with the same workflow are one draft. */
function draftsOf(calls: readonly ExecutionCall[]): RecordedGraph[] {
  const drafts: Draft[] = [];
  for (const call of calls) {
    if (call.outcome !== 'answered' || call.isInvented) continue;
    const step = STEPS[call.tool as keyof typeof STEPS];
    const { workflow, validation } = partsOf(step, call);
    const problems = problemsOf(validation);
    const known = drafts.findLast((draft) => isDeepStrictEqual(draft.workflow, workflow));
    if (known) {
      const steps = [...new Set([...known.recorded.steps, step])];
      known.recorded = { ...known.recorded, steps, at: call.startedAt, problems: problems ?? known.recorded.problems };
      continue;
    }
    const graph = readGraph(workflow);
    if (!graph) continue;
    const { number, startedAt } = call;
    const recorded = { ...graph, call: number, at: startedAt, steps: [step], problems };
    drafts.push({ workflow, recorded });
  }
  return drafts.map(({ recorded }) => recorded);
}

/** Returns the workflow of a call and its validation, where the call has one. */
function partsOf(
  step: (typeof STEPS)[keyof typeof STEPS] | undefined,
  { arguments: given, result }: ExecutionCall,
): { readonly workflow?: unknown; readonly validation?: unknown } {
  const returned = Object(result);
  if (step === 'built') return { workflow: result };
  if (step === 'fixed') return { workflow: returned.workflow, validation: returned.remaining };
  // The workflow may be the arguments as a whole: `validateWorkflow(workflow)`.
  const { workflow = given } = Object(given);
  const value = typeof workflow === 'string' ? parseJson(workflow) : workflow;
  return { workflow: value, validation: step === 'validated' ? result : undefined };
}

function problemsOf(validation: unknown): GraphProblem[] | undefined {
  const { errors, warnings } = Object(validation);
  if (!Array.isArray(errors) || !Array.isArray(warnings)) return undefined;
  const of = (level: GraphProblem['level'], list: readonly unknown[]) =>
    list.map((each): GraphProblem => {
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

/** Reads a workflow. Leaves parts out that do not have n8n's form. Returns undefined for a value without a list of nodes. */
export function readGraph(workflow: unknown): WorkflowGraph | undefined {
  if (!isObject(workflow) || !Array.isArray(workflow.nodes)) return undefined;
  const nodes = workflow.nodes.filter(isObject);
  const connections = connectionsOf(workflow.connections);
  return {
    name: textOf(workflow.name),
    nodes: nodes.slice(0, MAX_NODES).map(nodeOf),
    connections: connections.slice(0, MAX_CONNECTIONS),
    nodeCount: nodes.length,
    connectionCount: connections.length,
  };
}

function nodeOf({ name, type, typeVersion, disabled }: Record<string, unknown>): GraphNode {
  return {
    name: textOf(name),
    type: textOf(type),
    disabled: disabled === true,
    typeVersion: typeof typeVersion === 'number' ? typeVersion : undefined,
  };
}

/** n8n keeps connections by source, type, output and target: `{A: {main: [[{node: "B", index: 0}]]}}`. */
function connectionsOf(value: unknown): GraphConnection[] {
  const found: GraphConnection[] = [];
  for (const [from, byType] of entriesOf(value)) {
    for (const [type, outputs] of entriesOf(byType)) {
      for (const [output, targets] of listOf(outputs).entries()) {
        for (const target of listOf(targets).filter(isObject)) {
          const input = typeof target.index === 'number' ? target.index : 0;
          found.push({ from, to: textOf(target.node), type, output, input });
        }
      }
    }
  }
  return found;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
