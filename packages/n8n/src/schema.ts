import { configText, configUrl, type Environment } from '@toolwright/core';
import * as z from 'zod';
import type { N8nSettings } from './settings.ts';

// Node fires a timer with a longer delay at once.
const MAX_TIMER_MS = 2 ** 31 - 1;
const names = z.array(z.string().min(1));

/** Builds the schema of the `n8n` object of a configuration; `${VAR}` references in it are filled from `env`. */
export function n8nSchema(env: Environment): z.ZodType<N8nSettings> {
  const text = configText(env);
  return z.strictObject({
    url: configUrl(env).optional(),
    apiKey: text.optional(),
    catalog: text.optional(),
    cacheDir: text.optional(),
    templatesUrl: configUrl(env).optional(),
    registryUrl: configUrl(env).optional(),
    timeoutMs: z.int().positive().max(MAX_TIMER_MS).optional(),
    policy: z
      .strictObject({
        write: z.boolean(),
        allow: z.array(
          z
            .string()
            .regex(
              /^(activate|execute|delete)(:.+)?$/,
              'expected "activate", "execute" or "delete", or one of them with ":<workflow id>"',
            ),
        ),
        denyNodes: names,
        allowNodes: names,
      })
      .partial()
      .optional(),
  });
}
