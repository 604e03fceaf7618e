import { ToolwrightError } from '@toolwright/core/errors';
import { shortName } from '../catalogs/names.ts';
import { DENIED_NODES, type N8nPolicy, type RestrictedAction } from '../settings.ts';

/** Rejects actions that the configuration does not allow, before any request. Every method raises `NOT_ALLOWED`. */
export interface PolicyCheck {
  /** The allowed actions: `read`, `write`, and the rules of `policy.allow`. */
  readonly allowed: readonly string[];
  write(what: string): void;
  /** `what` names the subject in messages: `data table`. Default: `workflow`. */
  action(action: RestrictedAction, id: string, what?: string): void;
  nodes(types: Iterable<string>): void;
}

/** Creates the check of a policy. */
export function createPolicyCheck(policy: N8nPolicy = {}): PolicyCheck {
  const allowed = new Set(policy.allow ?? []);
  const passed = new Set((policy.allowNodes ?? []).map(plain));
  const denied = new Set([...DENIED_NODES, ...(policy.denyNodes ?? [])].map(plain).filter((name) => !passed.has(name)));
  return {
    allowed: ['read', ...(policy.write === true ? ['write'] : []), ...allowed],
    write(what) {
      if (policy.write === true) return;
      throw refused(
        `${what} changes the n8n instance, and the policy allows reading only. To allow it, set n8n.policy.write to true.`,
      );
    },
    action(action, id, what = 'workflow') {
      if (allowed.has(action) || allowed.has(`${action}:${id}`)) return;
      const rule = `"${action}" or "${action}:${id}"`;
      throw refused(
        `The policy does not allow to ${action} ${what} ${id}. To allow it, add ${rule} to n8n.policy.allow.`,
      );
    },
    nodes(types) {
      const found = [...new Set(types)].filter((type) => denied.has(plain(type)));
      if (found.length === 0) return;
      const names = found.map(shortName).join(', ');
      throw refused(
        `The workflow uses ${names}, which can access the machine of n8n. To allow this, add the type to n8n.policy.allowNodes.`,
      );
    },
  };
}

/** Reduces a tool variant to its base type: a denied type is denied as a tool too. */
function plain(type: string): string {
  return shortName(type)
    .replace(/(?:Hitl)?Tool$/, '')
    .toLowerCase();
}

function refused(message: string): ToolwrightError {
  return new ToolwrightError('NOT_ALLOWED', `${message} Ask the user first.`);
}
