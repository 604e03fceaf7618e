import { shortName } from '../../catalogs/names.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { DENIED_NODES } from '../../settings.ts';

/** A risk in a workflow. */
export interface Risk {
  readonly code: string;
  readonly node?: string | undefined;
  readonly message: string;
  readonly fix: string;
}

type Rule = (node: JsonObject, parameters: JsonObject, name: string) => Risk[];

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
