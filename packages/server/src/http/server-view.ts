import type { Toolwright } from '@toolwright/core';
import * as z from 'zod';

/** The public facts of a server. */
export const serverSchema = z
  .object({
    name: z.string(),
    slug: z.string(),
    state: z.string(),
    problem: z.string().optional(),
    description: z.string().optional(),
    nextProbeAt: z
      .string()
      .optional()
      .meta({ description: 'When Toolwright looks at a failed server again, in ISO 8601.' }),
    protocol: z.string().optional().meta({ description: 'The negotiated revision of an MCP server.' }),
    starts: z.int().meta({ description: 'How often it was started or connected.' }),
    toolCount: z.int(),
    omittedTools: z
      .array(z.object({ name: z.string(), problem: z.string() }))
      .readonly()
      .optional()
      .meta({ description: 'Tools that cannot be used, with the reason.' }),
  })
  .meta({ id: 'Server' });

/** Returns the public part of a server: its entry may have secrets. */
export function serverView({
  name,
  slug,
  status: { state, problem, protocol, starts, nextProbeAt },
  description,
  toolCount,
  omittedTools,
}: Awaited<ReturnType<Toolwright['addServer']>>): z.infer<typeof serverSchema> {
  return {
    name,
    slug,
    state,
    starts,
    toolCount,
    problem,
    description,
    nextProbeAt,
    protocol,
    omittedTools,
  };
}
