import { messageOf } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';
import { BOOLEAN, listOf, NUMBER, STRING, shapeOf, type ToolSpec } from '../../tool.ts';
import type { Instance } from '../instance.ts';
import { pageOf } from '../page.ts';
import { type Risk, risksOf } from './rules.ts';

/** The largest page that n8n's API returns. */
const PAGE = 250;
const MAX_PAGES = 20;
const MAX_RISKS = 200;

interface WorkflowRisk extends Risk {
  readonly workflow: string;
  readonly id: string;
  readonly active: boolean;
}

/** A finding of n8n's own audit. */
interface InstanceRisk {
  readonly risk: string;
  readonly title: string;
  readonly recommendation: string;
  /** The number of nodes, credentials or settings. */
  readonly places: number;
}

interface Audit {
  readonly workflows: number;
  readonly risks: readonly WorkflowRisk[];
  readonly instance: readonly InstanceRisk[];
  readonly problems?: readonly string[] | undefined;
}

/** Returns the tool that looks for risks in the workflows of an instance. */
export function auditTools(instance: () => Instance): Record<string, ToolSpec> {
  const risk = {
    code: STRING,
    workflow: STRING,
    id: STRING,
    active: BOOLEAN,
    'node?': STRING,
    message: STRING,
    fix: STRING,
  };
  return {
    auditWorkflows: {
      description:
        'Looks for risks: open triggers, secrets as text, access to the machine, unverified TLS, SQL from items; and runs the security audit of n8n.',
      parameters: {},
      options: { activeOnly: BOOLEAN },
      returns: shapeOf({
        workflows: NUMBER,
        risks: listOf(shapeOf(risk)),
        instance: listOf(shapeOf({ risk: STRING, title: STRING, recommendation: STRING, places: NUMBER })),
        'problems?': listOf(STRING),
      }),
      run: ({ activeOnly }, { signal }) => auditWorkflows(instance(), activeOnly === true, signal),
    },
  };
}

async function auditWorkflows(
  instance: Instance,
  activeOnly: boolean,
  signal: AbortSignal | undefined,
): Promise<Audit> {
  const problems: string[] = [];
  const report = instanceRisks(instance, signal).catch((error: unknown): InstanceRisk[] => {
    problems.push(`The audit of n8n did not run: ${messageOf(error)}`);
    return [];
  });
  const { workflows, isComplete } = await readAll(instance, activeOnly, signal);
  if (!isComplete) problems.push(`The instance has more than ${PAGE * MAX_PAGES} workflows. The others were not read.`);
  const risks = workflows.flatMap((workflow) => {
    const { id, name, active } = workflow;
    const place = { workflow: String(name), id: String(id), active: active === true };
    return risksOf(workflow).map((risk): WorkflowRisk => ({ ...place, ...risk }));
  });
  if (risks.length > MAX_RISKS) problems.push(`There are ${risks.length} risks. The first ${MAX_RISKS} are listed.`);
  const list = risks.slice(0, MAX_RISKS);
  return {
    workflows: workflows.length,
    risks: list,
    instance: await report,
    problems: problems.length > 0 ? problems : undefined,
  };
}

async function readAll(
  { client }: Instance,
  activeOnly: boolean,
  signal: AbortSignal | undefined,
): Promise<{ workflows: JsonObject[]; isComplete: boolean }> {
  const workflows: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: PAGE, cursor, excludePinnedData: true, active: activeOnly ? true : undefined };
    const { data, nextCursor } = pageOf(await client.send({ path: '/workflows', query, what: 'workflows', signal }));
    workflows.push(...data);
    cursor = nextCursor;
    if (cursor === undefined) return { workflows, isComplete: true };
  }
  return { workflows, isComplete: false };
}

async function instanceRisks({ client }: Instance, signal: AbortSignal | undefined): Promise<InstanceRisk[]> {
  const answer = await client.send({ method: 'POST', path: '/audit', body: {}, what: 'the security audit', signal });
  const reports = Object.values(isObject(answer) ? answer : {}).filter(isObject);
  return reports.flatMap(({ risk, sections }) =>
    (Array.isArray(sections) ? sections : []).filter(isObject).map(({ title, recommendation, location }) => ({
      risk: String(risk),
      title: String(title),
      recommendation: String(recommendation),
      places: Array.isArray(location) ? location.length : 0,
    })),
  );
}
