import * as z from 'zod';
import { setting } from '../setting.ts';

const DEFAULT_GRACE_MS = 20_000;
const MAX_GRACE_MS = 10 * 60 * 1_000;
const DEFAULT_EXPIRE_MS = 7 * 24 * 60 * 60 * 1_000;
const MAX_EXPIRE_MS = 366 * 24 * 60 * 60 * 1_000;

/** The settings of executions that wait for a person or a time. */
export const waitsSchema = z.strictObject({
  graceMs: setting(z.int().min(0).max(MAX_GRACE_MS).default(DEFAULT_GRACE_MS), {
    description: 'milliseconds that a program waits in memory; then it is [suspended](durable-executions.md)',
  }),
  expireMs: setting(z.int().positive().max(MAX_EXPIRE_MS).default(DEFAULT_EXPIRE_MS), {
    description: 'milliseconds until an open question refuses its call',
  }),
  decideOverMcp: setting(z.boolean().default(true), {
    description:
      'whether the user of an MCP client may [decide in a form of the client](approvals.md#decide-in-an-mcp-client)',
  }),
});

/** The settings of executions that wait. */
export type WaitSettings = z.output<typeof waitsSchema>;
