import { ToolwrightError } from '@toolwright/core';
import { shortName } from '../catalogs/names.ts';
import { DENIED_NODES, type GuardedAction, type N8nPolicy } from '../settings.ts';

/** Says no to what the configuration does not allow, before anything is sent. Everything raises `NOT_ALLOWED`. */
export interface PolicyCheck {
  /** What may be done: `read`, `write`, and the rules of `policy.allow`. */
  readonly allowed: readonly string[];
  write(what: string): void;
  action(action: GuardedAction, workflowId: string): void;
  nodes(types: Iterable<string>): void;
}

/** Makes the guard of a policy. */
export function createPolicyCheck(policy: N8nPolicy = {}): PolicyCheck {
  const allowed = new Set(policy.allow ?? []);
  const passed = new Set((policy.allowNodes ?? []).map(plain));
  const denied = new Set([...DENIED_NODES, ...(policy.denyNodes ?? [])].map(plain).filter((name) => !passed.has(name)));
  return {
    allowed: ['read', ...(policy.write === true ? ['write'] : []), ...allowed],
    write(what) {
      if (policy.write === true) return;
      throw refused(
        `${what} changes the instance, which is read-only here. To allow it, set n8n.policy.write to true.`,
      );
    },
    action(action, workflowId) {
      if (allowed.has(action) || allowed.has(`${action}:${workflowId}`)) return;
      const rule = `"${action}" or "${action}:${workflowId}"`;
      throw refused(
        `It is not allowed to ${action} workflow ${workflowId}. To allow it, put ${rule} into n8n.policy.allow.`,
      );
    },
    nodes(types) {
      const found = [...new Set(types)].filter((type) => denied.has(plain(type)));
      if (found.length === 0) return;
      const names = found.map(shortName).join(', ');
      throw refused(
        `The workflow uses ${names}, which can reach the machine of n8n. To allow it, name it in n8n.policy.allowNodes.`,
      );
    },
  };
}

/** The tool variant of a denied type is denied too. */
function plain(type: string): string {
  return shortName(type)
    .replace(/(?:Hitl)?Tool$/, '')
    .toLowerCase();
}

function refused(message: string): ToolwrightError {
  return new ToolwrightError('NOT_ALLOWED', `${message} Ask the user first.`);
}
