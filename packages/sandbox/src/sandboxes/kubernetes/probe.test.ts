import { expect, it } from 'vitest';
import { openNetwork } from './probe.ts';

const LABELS = { 'app.kubernetes.io/name': 'toolwright', 'app.kubernetes.io/component': 'guest' };
const policy = (name: string, spec: object) => ({ metadata: { name }, spec });
const DENY = policy('deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });

it.each<[string, object[], string | undefined]>([
  ['one for all pods', [DENY], undefined],
  ['none', [], 'no NetworkPolicy forbids ingress and egress for pods of programs'],
  [
    'one for one direction',
    [policy('in', { podSelector: {}, policyTypes: ['Ingress'] })],
    'no NetworkPolicy forbids egress for pods of programs',
  ],
  [
    'one without types, which is for ingress',
    [policy('in', { podSelector: {} })],
    'no NetworkPolicy forbids egress for pods of programs',
  ],
  [
    'one for other pods',
    [policy('other', { podSelector: { matchLabels: { app: 'x' } }, policyTypes: ['Ingress', 'Egress'] })],
    'no NetworkPolicy forbids ingress and egress for pods of programs',
  ],
  [
    'a rule in another one',
    [DENY, policy('dns', { podSelector: { matchLabels: { 'app.kubernetes.io/component': 'guest' } }, egress: [{}] })],
    'the NetworkPolicy "dns" allows connections of pods of programs',
  ],
  [
    'a rule for other pods',
    [DENY, policy('dns', { podSelector: { matchLabels: { app: 'x' } }, egress: [{}] })],
    undefined,
  ],
  [
    'a rule for pods by an expression',
    [
      DENY,
      policy('odd', { podSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, ingress: [{}] }),
    ],
    'the NetworkPolicy "odd" allows connections of pods of programs',
  ],
])('policies: %s', (_text, policies, expected) => {
  expect(openNetwork(policies, LABELS)).toBe(expected);
});
