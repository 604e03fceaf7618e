import { ToolwrightError } from '@toolwright/core/errors';
import { createToolIndex } from '@toolwright/core/tool-index';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { NodeDescription } from '../catalogs/description.ts';
import { shortName } from '../catalogs/names.ts';
import { type Essentials, nodeEssentials } from './essentials.ts';
import type { NodeHit, NodeSearch } from './search.ts';
import { operationChoices, operationsOf } from './visible.ts';

/** A node for one step of a request, with the essentials of the chosen operation. */
export interface PlannedNode {
  /** The name of the type that `buildWorkflow` accepts. */
  readonly type: string;
  readonly resource?: string | undefined;
  readonly operation?: string | undefined;
  /** Operations by resource, when the step does not decide one. */
  readonly operations?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly credentials?: string | undefined;
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  readonly outputs?: Readonly<Record<string, string>> | undefined;
  /** Parameters in TypeScript notation, the required ones first. */
  readonly parameters: string;
  /** Other choices that match the step: types, and operations of this type. */
  readonly others?: string | undefined;
}

/** The nodes for a request, in its order. */
export interface WorkflowPlan {
  readonly nodes: readonly PlannedNode[];
  readonly problems?: readonly string[] | undefined;
}

const MAX_STEPS = 20;
const MAX_STEP_CHARS = 300;
const MAX_OTHERS = 1;
const MAX_OTHER_OPERATIONS = 1;
/** Optional parameters of one node: a plan has several nodes, and `getNodeEssentials` has the rest. */
const OPTIONAL_CHARS = 200;
/** The ends of a step in a request of one text. */
const STEP_ENDS = /\s*(?:\n|;|->|→|[.,:](?=\s|$)|\b(?:and then|then|and)\b)\s*/i;
/** Words of a step that waits for a person. */
const WAITS = /\b(?:waits?|approv\w+|respon\w+|confirm\w*)\b/i;
/** Words of a step that starts a workflow. */
const STARTS =
  /\b(?:when(?:ever)?|every|each (?:hour|day|week|month)|on (?:a|an|new)|^new|daily|hourly|weekly|trigger|incoming|receive|submitted|schedule)\b/i;

/**
 * Chooses a node type and an operation for each step of a request, and returns their essentials together. A list has one
 * step per entry; a text is split into steps. Raises `INVALID_ARGUMENTS`.
 */
export function planWorkflow(request: unknown, catalog: NodeCatalog, search: NodeSearch): WorkflowPlan {
  const steps = stepsOf(request);
  const problems: string[] = [];
  const nodes = steps.flatMap((step, index) => {
    const hits = hitsOf(step, index === 0, search);
    const [first] = hits;
    if (first !== undefined) return [plannedNode(step, hits, catalog)];
    problems.push(`No node matches "${step}". Name the service or the task, or use httpRequest or code.`);
    return [];
  });
  const isStarted = nodes.some(({ type }) =>
    catalog.entries.some((entry) => entry.name === catalog.resolve(type) && entry.group.includes('trigger')),
  );
  if (!isStarted) problems.push('No step starts the workflow. Add one, such as "webhook", "every day" or "form".');
  return { nodes, problems: problems.length > 0 ? problems : undefined };
}

function stepsOf(request: unknown): string[] {
  const texts = Array.isArray(request) ? request.map(String) : String(request).split(STEP_ENDS);
  const steps = texts.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text));
  if (steps.length > 0 && steps.length <= MAX_STEPS) return steps.map((step) => step.slice(0, MAX_STEP_CHARS));
  throw new ToolwrightError(
    'INVALID_ARGUMENTS',
    `planWorkflow requires 1 to ${MAX_STEPS} steps, got ${steps.length}. Pass a list with one step per node, such as ["webhook", "send a message to Slack"].`,
  );
}

/** Returns the types for a step, best first. Only the first step and steps that name one get a trigger. */
function hitsOf(step: string, isFirst: boolean, search: NodeSearch): NodeHit[] {
  const hits = search(step, { limit: 10 });
  if (isFirst && STARTS.test(step)) {
    const triggers = search(step, { kind: 'trigger', limit: 10 });
    if (triggers.length > 0) return triggers;
  }
  if (isFirst || /\btrigger\b/i.test(step)) return hits;
  const others = hits.filter(({ kind }) => kind !== 'trigger');
  return others.length > 0 ? others : hits;
}

function plannedNode(step: string, hits: readonly NodeHit[], catalog: NodeCatalog): PlannedNode {
  const [{ type } = { type: '' }, ...rest] = hits;
  const [chosen, ...next] = fittingOperations(step, catalog.describe(type));
  const { resource, operation } = chosen ?? {};
  const essentials = nodeEssentials(catalog, type, { resource, operation }, OPTIONAL_CHARS);
  const others = [...next.map(named), ...rest.slice(0, MAX_OTHERS).map((hit) => shortest(hit.type, catalog))];
  return {
    type: shortest(type, catalog),
    resource,
    operation,
    operations: essentials.operations,
    credentials: credentialText(essentials),
    inputs: essentials.inputs,
    outputs: essentials.outputs,
    parameters: parameterText(essentials),
    others: others.length > 0 ? others.join(', ') : undefined,
  };
}

/** Returns the shortest name that means a type. */
function shortest(type: string, catalog: NodeCatalog): string {
  const short = shortName(type);
  return catalog.resolve(short) === type ? short : type;
}

/** Returns the parameters as one text: as an object of texts, they cost a third more tokens. */
function parameterText({ required, optional, more = [], credentials = {} }: Essentials): string {
  // The conditions of the credentials list its values.
  const isListed = Object.values(credentials).some((when) => when.startsWith(AUTHENTICATION));
  const texts = [
    ...Object.entries(required).map(([name, shape]) => `${name}: ${shape}`),
    ...Object.entries(optional)
      .filter(([name]) => !(isListed && name === 'authentication'))
      .map(([name, shape]) => `${name}?: ${shape}`),
    ...more.map((name) => (name.startsWith('+') ? `… ${name.slice(1)} more` : `${name}?`)),
  ];
  return texts.join('; ').replaceAll('"', "'");
}

const AUTHENTICATION = 'if authentication is ';

/** Returns the credential types, each with the value of `authentication` that requires it, unless that is the default. */
function credentialText({ credentials = {}, optional, required }: Essentials): string | undefined {
  const chosen = / = "(.*)"$/.exec(optional.authentication ?? required.authentication ?? '')?.[1];
  const texts = Object.entries(credentials).map(([name, when]) =>
    when === 'required' || when === `${AUTHENTICATION}"${chosen}"` ? name : `${name} ${when}`,
  );
  return texts.length > 0 ? texts.join('; ').replaceAll('"', "'") : undefined;
}

interface Operation {
  readonly resource?: string | undefined;
  readonly operation: string;
}

function named({ resource, operation }: Operation): string {
  return resource === undefined ? operation : `${resource} ${operation}`;
}

/** Returns the operations that match a step, best first; none for a node without a choice, and if none matches. */
function fittingOperations(step: string, description: NodeDescription): Operation[] {
  const all = [...operationsOf(description)].flatMap(([resource, operations]) =>
    operations.map((operation) => ({ resource: resource === '' ? undefined : resource, operation })),
  );
  const offered = WAITS.test(step) ? all : all.filter(({ operation }) => operation !== 'sendAndWait');
  if (offered.length <= 1) return [];
  const index = createToolIndex();
  index.set('operations', {
    tools: offered.map((each, place) => {
      const { name = '', action = '' } =
        operationChoices(description, each.resource).find(({ value }) => value === each.operation) ?? {};
      const title = `${action} ${name} ${each.resource ?? ''}`;
      const definition = { name: each.operation, title, description: title, inputSchema: {} };
      return { id: String(place), server: 'operations', definition };
    }),
  });
  const service = new Set(wordsOf(`${description.displayName} ${shortName(description.name)}`));
  const task = wordsOf(step).filter((word) => !service.has(word));
  const found = index.search(task.join(' '), { limit: 1 + MAX_OTHER_OPERATIONS });
  return found.flatMap(({ tool }) => offered[Number(tool.id)] ?? []);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
