import type { JsonSchema } from '@toolwright/connectors';
import * as z from 'zod';
import { globProblem } from '../../glob.ts';
import { setting } from '../setting.ts';
import { compileArguments, type SchemaProblem } from './argument-schema.ts';

/** The text of a limit: `20 per execution`. */
export const LIMIT_TEXT: RegExp = /^([1-9]\d{0,8}) per (execution|hour)$/;

/** One glob, or a list of which one must match. */
const globs = z.custom<string | readonly string[]>().superRefine((value, context) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) context.addIssue({ code: 'custom', message: 'must not be empty' });
  for (const [index, glob] of list.entries()) {
    const message = globProblem(glob);
    if (message !== undefined) {
      context.addIssue({ code: 'custom', message, path: Array.isArray(value) ? [index] : [] });
    }
  }
});

const jsonSchema = z.custom<JsonSchema>().superRefine((value, context) => {
  const problems: SchemaProblem[] = [];
  compileArguments(value, problems);
  for (const { path, text } of problems) context.addIssue({ code: 'custom', message: text, path: [...path] });
});

const annotations = z
  .strictObject({
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  })
  .partial();

/** The types of extracted values that a rule may accept. Such a value has no more than its type allows, also if a stranger chose it. */
const EXTRACTED_TYPES = ['date', 'date-time', 'number', 'email', 'uri'] as const;

/** A type of values that `extract` returned. */
export type ExtractedType = (typeof EXTRACTED_TYPES)[number];

/** The texts that have a format of `extract`. A date of birth or an e-mail address may be a placeholder. */
export const TEXT_FORMATS = {
  date: /^(?:\d{4}-\d{2}-\d{2}|\[DATE_OF_BIRTH_\d+\])$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})?$/,
  email: /^(?:[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>".]{2,63}|\[EMAIL_\d+\])$/,
} as const;

/** The start of the name of extracted values in `from`: `extracted:date`. */
export const EXTRACTED = 'extracted:';

const EXTRACTED_NAMES = EXTRACTED_TYPES.map((type) => EXTRACTED + type);

const originName = z
  .string()
  .min(1)
  .refine((name) => !name.startsWith(EXTRACTED) || EXTRACTED_NAMES.includes(name), {
    error: `expected one of ${EXTRACTED_NAMES.join(', ')}`,
  });

const rule = z
  .strictObject({
    /** The name in messages. Default: its place, `policy.rules[0]`. */
    name: z.string().min(1).max(100).optional(),
    servers: globs.optional(),
    /** Globs over tool ids, `server__tool`. */
    tools: globs.optional(),
    annotations: annotations.optional(),
    /** A JSON Schema over the arguments that the tool would receive. */
    arguments: jsonSchema.optional(),
    /** Globs over texts among the arguments, by property. */
    argumentGlobs: z.record(z.string(), globs).optional(),
    /** Where the values of an argument came from, by its name: names of origins, types of extracted values, and globs over servers or tool ids. */
    from: z.record(z.string(), z.array(originName).min(1)).optional(),
    /** Data that the arguments may have: globs over servers or tool ids, or `private` for data that leaves its readers. */
    carries: z.array(z.string().min(1)).min(1).optional(),
    users: globs.optional(),
    sessions: globs.optional(),
    action: z.enum(['allow', 'ask', 'deny']),
    limit: z.string().regex(LIMIT_TEXT, 'expected "20 per execution" or "20 per hour"').optional(),
  })
  .superRefine(({ action, limit, carries }, context) => {
    if (carries !== undefined && action === 'allow') {
      const message = 'only rules that ask or deny have it; list who may receive data in policy.readers';
      context.addIssue({ code: 'custom', message, path: ['carries'] });
    }
    if (limit === undefined || action === 'allow') return;
    const message = `only a rule with the action "allow" has a limit, and this one has "${action}"`;
    context.addIssue({ code: 'custom', message, path: ['limit'] });
  });

const mark = z.strictObject({
  servers: globs.optional(),
  tools: globs.optional(),
  readOnly: z.boolean().optional(),
  idempotent: z.boolean().optional(),
});

/** The labels of data: of the user, of people whom the operator trusts, and of anybody. */
const TRUSTS = ['owner', 'organisation', 'public'] as const;
/** The meaning of a parameter for the effect of its tool. */
export const SINK_KINDS = [
  'receiver',
  'destination',
  'record',
  'command',
  'credential',
  'amount',
  'content',
  'setting',
] as const;

const trustMark = z.strictObject({
  servers: globs.optional(),
  tools: globs.optional(),
  /** Globs over the paths of fields in an answer: `*.owner`. Default: the whole answer. */
  fields: globs.optional(),
  trust: z.enum(TRUSTS),
});

const readersMark = z.strictObject({
  servers: globs.optional(),
  tools: globs.optional(),
  /** Globs over the paths of private fields in an answer. Default: all of it is private. */
  fields: globs.optional(),
  /** Globs over servers or tool ids that may receive the data. Default: its server. */
  readers: globs.optional(),
  /** Globs over addresses, hosts and names that may receive it, and `request`. Default: the places of `policy.own`. */
  receivers: globs.optional(),
});

const sinkMark = z.strictObject({
  servers: globs.optional(),
  tools: globs.optional(),
  /** The meaning of parameters by their names, at any depth. */
  parameters: z.record(z.string(), z.enum(SINK_KINDS)),
});

const ownPlaces = z
  .strictObject({ domains: z.array(z.string().min(3)), names: globs, directories: z.array(z.string().min(2)) })
  .partial();

/** `policy` of the configuration: which tool calls are allowed, asked about or denied. */
export const policySchema = z.strictObject({
  preset: setting(z.enum(['open', 'guarded', 'careful', 'read-only']).default('open'), {
    description:
      'decides tool calls that no rule matches: `open`, `guarded`, `careful` or `read-only`, see [policy](policy.md)',
  }),
  rules: setting(z.array(rule).default([]), {
    description: 'rules that allow, ask about or deny tool calls; the first match decides',
  }),
  tools: setting(z.array(mark).default([]), {
    description: 'tools that you declare as `readOnly` or `idempotent`, over the hints of servers',
  }),
  trust: setting(z.array(trustMark).optional(), {
    description:
      'how far the answers of tools are trusted: `owner`, `organisation` or `public`, see [origins](origins.md#say-which-data-you-trust)',
    defaultText: 'all answers are `public`',
  }),
  readers: setting(z.array(readersMark).optional(), {
    description:
      'private data, and the servers and people that may receive it, see [origins](origins.md#say-who-may-receive-private-data)',
    defaultText: 'no data is private',
  }),
  sinks: setting(z.array(sinkMark).optional(), {
    description:
      'the meaning of parameters where their names mislead, see [origins](origins.md#correct-the-meaning-of-a-parameter)',
    defaultText: 'by names and descriptions',
  }),
  own: setting(ownPlaces.optional(), {
    description:
      'your `domains`, `directories`, and `names`: targets without a question, see [origins](origins.md#list-your-own-places)',
    defaultText: 'none',
  }),
});

/** `policy` of the configuration, checked and with its defaults. */
export type PolicyConfig = z.output<typeof policySchema>;
/** The policy of tool calls, as in a configuration file. */
export type PolicySettings = z.input<typeof policySchema>;
/** One rule of a policy. */
export type PolicyRule = PolicyConfig['rules'][number];
/** A label of data. */
export type Trust = (typeof TRUSTS)[number];
/** The meaning of a parameter. */
export type SinkKind = (typeof SINK_KINDS)[number];
/** The decision of a policy about a tool call. */
export type PolicyAction = PolicyRule['action'];
