import { messageOf } from '@toolwright/core/errors';
import { shortName } from '../../catalogs/names.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { DENIED_NODES } from '../../settings.ts';
import { BOOLEAN, listOf, NUMBER, STRING, shapeOf, type ToolSpec } from '../../tool.ts';
import type { Instance } from '../instance.ts';
import { pageOf } from '../page.ts';

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

/** A risk in a workflow. */
interface Risk {
  readonly code: string;
  readonly node?: string | undefined;
  readonly message: string;
  readonly fix: string;
}

type Rule = (node: JsonObject, parameters: JsonObject, name: string) => Risk[];

const OPEN_TRIGGERS = new Set(['webhook', 'formTrigger', 'mcpTrigger']);
const SECRET_NAME = /^(?:proxy-)?authorization$|api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token|secret|passw(?:or)?d/i;
/** A text with a place for a value, such as `Bearer YOUR_TOKEN`, is no secret. */
const PLACEHOLDER = /your|xxx|\.\.\.|<[^>]*>|example|changeme|placeholder/i;
const MIN_SECRET_CHARS = 8;

const RULES: readonly Rule[] = [
  (node, { authentication, public: isPublic }, name) => {
    const type = shortName(String(node.type));
    const isOpen = OPEN_TRIGGERS.has(type) || (type === 'chatTrigger' && isPublic === true);
    if (!isOpen || (authentication !== undefined && authentication !== 'none')) return [];
    const message = `Anyone with the address of "${name}" can start the workflow.`;
    return [{ code: 'OPEN_TRIGGER', node: name, message, fix: 'Set authentication and its credential.' }];
  },
  (node, _parameters, name) => {
    const type = shortName(String(node.type)).replace(/Tool$/, '');
    if (!DENIED_NODES.includes(type)) return [];
    const message = `"${name}" (${type}) reaches the machine of n8n.`;
    return [{ code: 'MACHINE_ACCESS', node: name, message, fix: 'Remove it, or check each value that it receives.' }];
  },
  (_node, parameters, name) =>
    secretsIn(parameters).map((path) => ({
      code: 'SECRET_IN_TEXT',
      node: name,
      message: `"${name}" has a secret as text in ${path}: exports, versions and executions contain it.`,
      fix: 'Move it to a credential, and replace the secret.',
    })),
  (_node, { options }, name) => {
    if (!isObject(options) || options.allowUnauthorizedCerts !== true) return [];
    const message = `"${name}" accepts every TLS certificate: others can read and change its requests.`;
    return [{ code: 'TLS_UNVERIFIED', node: name, message, fix: 'Unset options.allowUnauthorizedCerts.' }];
  },
  (_node, parameters, name) => {
    const { operation, query } = parameters;
    if (operation !== 'executeQuery' || typeof query !== 'string' || !/^=[\s\S]*\{\{/.test(query)) return [];
    const message = `"${name}" writes values of items into an SQL text: an item can contain other commands.`;
    return [{ code: 'SQL_INJECTION', node: name, message, fix: 'Use $1 in the query, and options.queryReplacement.' }];
  },
  (node, { jsCode, pythonCode }, name) => {
    const program = [jsCode, pythonCode].find((each) => typeof each === 'string') ?? '';
    const isEvaluated = /\beval\s*\(|new\s+Function\s*\(|\bexec\s*\(/.test(String(program));
    if (shortName(String(node.type)) !== 'code' || !isEvaluated) return [];
    const message = `"${name}" runs a text as a program.`;
    return [{ code: 'EVALUATED_TEXT', node: name, message, fix: 'Write the program out.' }];
  },
];

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

/** Returns the risks that the text of a stored workflow shows. Disabled nodes have none. */
export function risksOf(workflow: JsonObject): Risk[] {
  const nodes = (Array.isArray(workflow.nodes) ? workflow.nodes : []).filter(isObject);
  return nodes
    .filter(({ disabled }) => disabled !== true)
    .flatMap((node) => {
      const parameters = isObject(node.parameters) ? node.parameters : {};
      return RULES.flatMap((rule) => rule(node, parameters, String(node.name)));
    });
}

/** Returns the paths of literal texts with the name of a secret. */
function secretsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => secretsIn(each, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const { name } = value;
  const named = typeof name === 'string' && SECRET_NAME.test(name) && isSecret(value.value) ? [`${path}.value`] : [];
  const own = Object.entries(value).flatMap(([key, held]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return SECRET_NAME.test(key) && isSecret(held) ? [at] : secretsIn(held, at);
  });
  return [...named, ...own];
}

function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('{{') || value.startsWith('=')) return false;
  const text = value.replace(/^(?:bearer|basic|token)\s+/i, '');
  return text.length >= MIN_SECRET_CHARS && !/\s/.test(text) && !PLACEHOLDER.test(text);
}
