import type { Toolwright, ToolwrightOptions } from '../../src/toolwright.ts';

export function webhookToSlack(
  createToolwright: (options: ToolwrightOptions) => Promise<Toolwright>,
  catalog: string,
): Promise<{ readonly tokens: number; readonly parts: readonly number[]; readonly verdict: unknown }>;
