import { isObject, type JsonObject } from '../json.ts';
import type { Finding } from './finding.ts';
import type { Workflow, WorkflowNode } from './workflow.ts';

interface Configured {
  readonly node: WorkflowNode;
  readonly parameters: JsonObject;
}

/** Returns the problems for which n8n cannot register the triggers of a workflow. */
export function registrationFindings(workflow: Workflow, checked: readonly Configured[]): Finding[] {
  return [...timezoneFindings(workflow, checked), ...duplicateWebhooks(workflow)];
}

const TIMED = new Set(['scheduleTrigger', 'cron'].map((name) => `n8n-nodes-base.${name}`));

/** Returns the unknown time zone of a workflow that runs at times: n8n refuses to schedule it. */
function timezoneFindings({ raw }: Workflow, checked: readonly Configured[]): Finding[] {
  const timezone = isObject(raw.settings) ? raw.settings.timezone : undefined;
  const isTimed = checked.some(
    ({ node, parameters }) => !node.disabled && (TIMED.has(node.type) || parameters.pollTimes !== undefined),
  );
  if (!isTimed || typeof timezone !== 'string' || ['', 'DEFAULT'].includes(timezone) || isZone(timezone)) return [];
  const message = `settings.timezone is "${timezone.slice(0, 60)}", which is no time zone; n8n cannot schedule the workflow.`;
  const fix = 'Write a name of the IANA list, such as "Europe/Vienna" or "UTC".';
  return [{ code: 'TIMEZONE_UNKNOWN', path: 'settings.timezone', message, fix }];
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Returns webhooks of one workflow with the same method and path: n8n refuses to publish it. */
function duplicateWebhooks({ nodes }: Workflow): Finding[] {
  const seen = new Map<string, string>();
  return nodes.flatMap((node): Finding[] => {
    const key = endpointOf(node);
    if (key === undefined) return [];
    const other = seen.get(key);
    seen.set(key, node.name);
    if (other === undefined) return [];
    const path = 'parameters.path';
    const message = `"${other}" and "${node.name}" are both the webhook ${key}; n8n refuses to publish them.`;
    return [{ code: 'DUPLICATE_WEBHOOK', node: node.name, path, message, fix: 'Give each webhook its own path.' }];
  });
}

function endpointOf({ type, disabled, parameters }: WorkflowNode): string | undefined {
  const { path, httpMethod = 'GET' } = parameters;
  if (disabled || type !== 'n8n-nodes-base.webhook' || typeof path !== 'string' || path === '') return undefined;
  return `${httpMethod} ${path}`;
}
