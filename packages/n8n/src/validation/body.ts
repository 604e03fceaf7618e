import { STICKY_NOTE } from '../catalogs/names.ts';
import { isObject, type JsonObject, shown } from '../json.ts';
import type { Finding } from './finding.ts';

/** The keys of a node that n8n's public API accepts, with their types. */
export const NODE_KEYS: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object' | 'numbers'>> = {
  id: 'string',
  name: 'string',
  type: 'string',
  typeVersion: 'number',
  position: 'numbers',
  parameters: 'object',
  credentials: 'object',
  disabled: 'boolean',
  notes: 'string',
  notesInFlow: 'boolean',
  onError: 'string',
  continueOnFail: 'boolean',
  retryOnFail: 'boolean',
  maxTries: 'number',
  waitBetweenTries: 'number',
  alwaysOutputData: 'boolean',
  executeOnce: 'boolean',
  webhookId: 'string',
};

/** The keys of `settings` that the API accepts. */
export const SETTING_KEYS: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  saveExecutionProgress: 'boolean',
  saveManualExecutions: 'boolean',
  saveDataErrorExecution: 'string',
  saveDataSuccessExecution: 'string',
  executionTimeout: 'number',
  errorWorkflow: 'string',
  timezone: 'string',
  executionOrder: 'string',
  callerPolicy: 'string',
  callerIds: 'string',
  timeSavedPerExecution: 'number',
  availableInMCP: 'boolean',
};

const SETTING_VALUES: Readonly<Record<string, readonly string[]>> = {
  saveDataErrorExecution: ['all', 'none'],
  saveDataSuccessExecution: ['all', 'none'],
  callerPolicy: ['any', 'none', 'workflowsFromAList', 'workflowsFromSameOwner'],
};

/**
 * Returns shape errors for which the API rejects a workflow. Unknown keys are not reported, because `workflows/body.ts`
 * removes them before sending.
 */
export function bodyFindings(raw: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const report = (path: string, expected: string, value: unknown, node?: string): void => {
    const message = `${path} must be ${expected}, got ${value === undefined ? 'nothing' : shown(value)}.`;
    const fix = `Set ${path} to ${expected}.`;
    findings.push({ code: 'BODY_SHAPE', node, path, message, fix });
  };
  if (!Array.isArray(raw.nodes)) report('nodes', 'a list of nodes', raw.nodes);
  if (!isObject(raw.connections)) report('connections', 'an object by source node', raw.connections);
  if (raw.name !== undefined && typeof raw.name !== 'string') report('name', 'a string', raw.name);
  if (raw.settings !== undefined && !isObject(raw.settings)) report('settings', 'an object', raw.settings);
  const settings = isObject(raw.settings) ? raw.settings : {};
  for (const [key, value] of Object.entries(settings)) {
    const type = SETTING_KEYS[key];
    if (type !== undefined && typeof value !== type) report(`settings.${key}`, `a ${type}`, value);
    const allowed = SETTING_VALUES[key];
    if (allowed && typeof value === 'string' && !allowed.includes(value))
      report(`settings.${key}`, `one of ${allowed.join(', ')}`, value);
  }
  (Array.isArray(raw.nodes) ? raw.nodes : []).forEach((node: unknown, index) => {
    if (isObject(node)) nodeFindings(node, index, report);
    else report(`nodes[${index}]`, 'an object', node);
  });
  return findings;
}

function nodeFindings(
  node: JsonObject,
  index: number,
  report: (path: string, expected: string, value: unknown, node?: string) => void,
): void {
  const name = typeof node.name === 'string' ? node.name : undefined;
  for (const [key, type] of Object.entries(NODE_KEYS)) {
    const value = node[key];
    if (value === undefined || fits(value, type)) continue;
    report(`nodes[${index}].${key}`, WORDS[type] ?? type, value, name);
  }
  // n8n gives a sticky note a name when it opens the workflow.
  const needed = node.type === STICKY_NOTE ? ['type'] : ['name', 'type'];
  for (const key of needed) {
    if (node[key] === undefined || node[key] === '') report(`nodes[${index}].${key}`, 'a string', node[key], name);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  numbers: 'a list of two numbers',
};

function fits(value: unknown, type: string): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'numbers') return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
  return typeof value === type;
}
