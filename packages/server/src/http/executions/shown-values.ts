import * as z from 'zod';

/** Whether values have placeholders or real personal data. */
export const shownValues = z.enum(['redacted', 'real']).default('redacted').meta({
  description: '`real`: with the personal data that the placeholders stand for, for a person. It is logged.',
});
