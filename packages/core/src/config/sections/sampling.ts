import * as z from 'zod';
import { setting } from '../setting.ts';

const DEFAULT_MAX_TOKENS = 1_000;
const MAX_TOKENS = 100_000;
const DEFAULT_MAX_REQUESTS = 10;
const MAX_REQUESTS = 1_000;

/** The settings of answers of models to servers. */
export const samplingSchema = z.strictObject({
  model: setting(z.string().min(1).optional(), {
    description:
      'model that answers [requests of servers](questions.md#answers-of-a-model) with `questions.sampling`, and reads texts for [`extract`](origins.md#read-data-from-a-text)',
    env: 'TOOLWRIGHT_SAMPLING_MODEL',
    defaultText: 'none: the client answers, or nobody',
  }),
  maxTokens: setting(z.int().positive().max(MAX_TOKENS).default(DEFAULT_MAX_TOKENS), {
    description: 'most tokens of one answer',
  }),
  maxRequests: setting(z.int().positive().max(MAX_REQUESTS).default(DEFAULT_MAX_REQUESTS), {
    description: 'most answers of a model in one execution',
  }),
});

/** The settings of answers of models to servers. */
export type SamplingSettings = z.output<typeof samplingSchema>;
