import * as z from 'zod';
import { isNestedDeeperThan } from '../../content/json-values.ts';
import type { PromptDefinition, ResourceDefinition, ResourceTemplateDefinition } from '../../resource.ts';
import { viewMeta } from '../apps.ts';

/** Maximum characters of a URI or a name. */
const MAX_NAME_CHARACTERS = 2_000;
/** Maximum characters of a description. */
const MAX_TEXT_CHARACTERS = 4_000;
/** Maximum arguments of a prompt. */
const MAX_ARGUMENTS = 100;
/** Maximum nesting of one message of a prompt. */
const MAX_MESSAGE_DEPTH = 100;

/** White space, control characters, and characters without a picture: a reader sees another URI than the server. */
const UNREADABLE = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const label = z.string().min(1).max(MAX_NAME_CHARACTERS);
const words = z.string().transform(visible).optional().catch(undefined);
const uri = label.refine((text) => SCHEME.test(text) && !UNREADABLE.test(text));
const uriTemplate = label.refine((text) => !UNREADABLE.test(text));
const about = { name: label.transform(visible), title: words, description: words, mimeType: words };

/** A usable resource: its URI has a scheme, and no hidden character or white space. */
export const resourceSchema: z.ZodType<ResourceDefinition> = z
  .object({ uri, ...about, size: z.number().nonnegative().optional().catch(undefined), _meta: viewMeta })
  .transform(withoutAbsent<ResourceDefinition>);

/** A usable template of URIs. */
export const templateSchema: z.ZodType<ResourceTemplateDefinition> = z
  .object({ uriTemplate, ...about })
  .transform(withoutAbsent<ResourceTemplateDefinition>);

const argumentSchema = z.object({ name: label, title: words, description: words, required: z.boolean().optional() });

/** A usable prompt. Its name has no hidden character. */
export const promptSchema: z.ZodType<PromptDefinition> = z
  .object({
    name: label.refine((text) => !UNREADABLE.test(text.replaceAll(' ', ''))),
    title: words,
    description: words,
    arguments: z.array(argumentSchema.transform(withoutAbsent)).max(MAX_ARGUMENTS).nullish(),
  })
  .transform((prompt) => withoutAbsent<PromptDefinition>({ ...prompt, arguments: prompt.arguments ?? [] }));

const mimeType = z.string().max(MAX_NAME_CHARACTERS).nullish();

/** The answer to `resources/read`. A part has text or bytes. */
export const contentsSchema = z.looseObject({
  contents: z.array(
    z.union([
      z.object({ uri: z.string(), mimeType, text: z.string(), _meta: viewMeta }),
      z.object({ uri: z.string(), mimeType, blob: z.string(), _meta: viewMeta }),
    ]),
  ),
});

/** The answer to `prompts/get`. */
export const messagesSchema = z.looseObject({
  description: z.string().nullish(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.unknown().refine((content) => !isNestedDeeperThan(content, MAX_MESSAGE_DEPTH)),
    }),
  ),
});

/** The answer to `completion/complete`: at most 100 values. */
export const completionSchema = z.looseObject({
  completion: z.object({
    values: z.array(z.string()).transform((values) => values.slice(0, 100)),
    total: z.number().optional().catch(undefined),
    hasMore: z.boolean().optional().catch(undefined),
  }),
});

/** Returns a label or a description without characters that a reader cannot see, shortened. */
function visible(text: string): string {
  return text
    .replace(/[^\S \n]|[\p{Cf}\u115f\u1160\u2800\u3164\uffa0]|(?!\n)\p{Cc}/gu, '')
    .slice(0, MAX_TEXT_CHARACTERS);
}

function withoutAbsent<T = unknown>(value: object): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
