import type { FindingKind } from './finding.ts';
import type { WordClass } from './lexicon.ts';

/** Words of these classes in this order in one sentence. `gap` limits the words between two of them; a list has one limit for each pair. */
export interface Rule {
  readonly kind: FindingKind;
  readonly weight: number;
  readonly words: readonly WordClass[];
  readonly gap: number | readonly number[];
  /** True: does not match after a negation, as in "never send passwords". */
  readonly positive?: true;
}

function rule(kind: FindingKind, weight: number, gap: Rule['gap'], words: readonly WordClass[]): Rule {
  return { kind, weight, words, gap };
}

function positive(kind: FindingKind, weight: number, gap: Rule['gap'], words: readonly WordClass[]): Rule {
  return { kind, weight, words, gap, positive: true };
}

/** Requests to a model, in classes of words. A rule alone holds a definition only if ordinary definitions have no such request. */
export const RULES: readonly Rule[] = [
  positive('override', 3, 3, ['ignore', 'prior', 'instruction']),
  positive('override', 3, 1, ['ignore', 'everything']),
  positive('override', 2, 0, ['you', 'now', 'task']),
  positive('override', 3, 4, ['ignore', 'user', 'instruction']),
  positive('override', 2, 4, ['ignore', 'approval']),
  positive('override', 1, 2, ['pretend', 'you']),
  positive('override', 3, 3, ['without', 'approval', 'user']),
  positive('override', 3, 3, ['without', 'user', 'approval']),
  positive('override', 2, 2, ['prior', 'instruction', 'suspended']),
  positive('override', 2, 3, ['ignore', 'user']),
  positive('override', 3, 6, ['content', 'must', 'obey']),
  positive('override', 3, 6, ['content', 'obey', 'must']),
  positive('override', 2, 3, ['ignore', 'others', 'tool']),

  rule('secrecy', 3, [2, 4], ['not', 'tell', 'user']),
  rule('secrecy', 3, [3, 1], ['not', 'user', 'aware']),
  rule('secrecy', 3, [1, 2], ['user', 'never', 'aware']),
  positive('secrecy', 3, 2, ['hide', 'from', 'user']),
  rule('secrecy', 2, 2, ['not', 'covert']),
  rule('secrecy', 2, 3, ['secretly', 'send']),
  rule('secrecy', 2, 3, ['secretly', 'embed']),
  rule('secrecy', 2, 3, ['secretly', 'read']),
  rule('secrecy', 2, 3, ['secretly', 'use']),
  rule('secrecy', 2, 5, ['send', 'secretly']),

  positive('secret-request', 3, 4, ['must', 'send', 'secret']),
  positive('secret-request', 3, 3, ['embed', 'possessed', 'secret']),
  positive('secret-request', 3, 2, ['embed', 'secret', 'of', 'user']),
  positive('secret-request', 3, 2, ['embed', 'all', 'secret']),
  positive('secret-request', 3, 4, ['send', 'all', 'secret']),
  positive('secret-request', 3, [3, 8], ['read', 'secret', 'send']),
  positive('secret-request', 3, [3, 8], ['read', 'secret', 'embed']),
  positive('secret-request', 3, 10, ['secret', 'carrier']),
  positive('secret-request', 3, 10, ['carrier', 'secret']),
  positive('secret-request', 3, 6, ['read', 'all', 'file', 'put']),
  positive('secret-request', 3, [6, 6, 6, 2], ['read', 'all', 'file', 'embed', 'content']),
  positive('secret-request', 3, 6, ['read', 'all', 'file', 'send']),
  positive('secret-request', 2, 3, ['must', 'embed', 'secret']),
  positive('secret-request', 2, 8, ['before', 'use', 'read', 'secret']),
  positive('secret-request', 2, 8, ['secret', 'others', 'tool']),
  positive('secret-request', 2, 3, ['possessed', 'secret']),
  // A tool may well ask for the one token that its own call needs.
  positive('secret-request', 2, 4, ['must', 'send', 'token']),
  positive('secret-request', 2, 3, ['embed', 'possessed', 'token']),
  positive('secret-request', 2, 2, ['embed', 'token', 'of', 'user']),
  positive('secret-request', 2, [3, 8], ['read', 'token', 'send']),
  positive('secret-request', 2, [3, 8], ['read', 'token', 'embed']),
  positive('secret-request', 3, 10, ['token', 'carrier']),
  positive('secret-request', 1, 8, ['token', 'others', 'tool']),
  positive('secret-request', 1, 4, ['must', 'read', 'secret']),
  positive('secret-request', 1, 3, ['read', 'all', 'secret']),
  positive('secret-request', 1, 4, ['send', 'secret']),
  positive('secret-request', 1, 4, ['embed', 'secret']),

  positive('context-request', 3, 6, ['embed', 'context']),
  positive('context-request', 3, 6, ['send', 'context']),
  positive('context-request', 2, 4, ['read', 'context']),
  positive('context-request', 2, 4, ['embed', 'every', 'payload']),
  positive('context-request', 2, 4, ['send', 'every', 'payload']),

  rule('changed-values', 3, 4, ['every', 'traffic', 'must', 'goes']),
  rule('changed-values', 3, 6, ['before', 'change', 'target']),
  positive('changed-values', 3, 6, ['before', 'use', 'change', 'target']),
  positive('changed-values', 3, 8, ['tool', 'change', 'target']),
  positive('changed-values', 2, 6, ['must', 'change', 'target']),

  rule('order-of-tools', 1, 3, ['before', 'use', 'self']),
  rule('order-of-tools', 1, [1, 3], ['before', 'self', 'use']),
  rule('order-of-tools', 1, 4, ['must', 'use', 'self', 'before']),
  rule('order-of-tools', 1, 3, ['must', 'use', 'before', 'every']),
  rule('order-of-tools', 1, 6, ['before', 'use', 'must', 'read']),
  rule('order-of-tools', 2, 6, ['must', 'use', 'every', 'everywhere']),
  rule('order-of-tools', 2, 6, ['must', 'use', 'everywhere', 'every']),

  rule('tool-preference', 3, 2, ['never', 'use', 'others', 'tool']),
  rule('tool-preference', 2, 3, ['must', 'use', 'self', 'prefer']),
  positive('order-of-tools', 1, 4, ['before', 'others', 'tool', 'use']),
  rule('tool-preference', 2, 6, ['every', 'others', 'tool', 'ignore']),
  rule('tool-preference', 1, 4, ['must', 'prefer', 'tool']),

  rule('pressure', 1, 2, ['model', 'must']),
  rule('pressure', 1, 6, ['otherwise', 'tool']),
  rule('pressure', 1, 6, ['user', 'threat']),
];
