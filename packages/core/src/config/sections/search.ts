import * as z from 'zod';
import { setting } from '../setting.ts';

/** The settings of tool search. */
export const searchSchema = z.strictObject({
  learning: setting(z.boolean().default(true), {
    description: 'whether searches [learn from successful tool calls](search.md#learned-from-use)',
    env: 'TOOLWRIGHT_SEARCH_LEARNING',
  }),
});

/** The settings of tool search. */
export type SearchSettings = z.output<typeof searchSchema>;
