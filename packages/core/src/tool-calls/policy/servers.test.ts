import { describe, expect, it } from 'vitest';
import { type PolicySettings, policySchema } from '../../config/policy/schema.ts';
import { checkPolicyServers } from './servers.ts';

describe('a server that does not exist', () => {
  const check = (settings: PolicySettings) => checkPolicyServers(policySchema.parse(settings), ['crm', 'my__mail']);

  it.each<[PolicySettings, RegExp]>([
    [
      { rules: [{ servers: ['crm', 'crn'], action: 'deny' }] },
      /^policy\.rules\[0\]\.servers: "crn" matches no server\. Did you mean the server "crm"\?$/,
    ],
    [
      { rules: [{ tools: 'crn__delete_*', action: 'deny' }] },
      /^policy\.rules\[0\]\.tools: "crn__delete_\*" matches no server\. Did you mean/,
    ],
    [
      { rules: [{ tools: 'crm_delete', action: 'deny' }] },
      /^policy\.rules\[0\]\.tools: "crm_delete" matches no server/,
    ],
    [{ rules: [{ servers: 'bank-*', action: 'deny' }] }, /Servers: crm, my__mail\.$/],
    [{ rules: [{ carries: ['crn'], action: 'deny' }] }, /^policy\.rules\[0\]\.carries: "crn" matches no server/],
    [{ readers: [{ servers: 'hr' }] }, /^policy\.readers\[0\]\.servers: "hr" matches no server/],
    [{ tools: [{ tools: 'bank__get', readOnly: true }] }, /^policy\.tools\[0\]\.tools: "bank__get" matches no server/],
  ])('%j is an error', (settings, message) => {
    expect(() => check(settings)).toThrow(message);
  });

  it.each(['crm__*', 'c*', '*__delete', 'c?m__x', 'my__mail__send', 'my__*', '*'])(
    'the tools %j may exist',
    (tools) => {
      expect(() => check({ rules: [{ tools, action: 'deny' }] })).not.toThrow();
    },
  );
});
