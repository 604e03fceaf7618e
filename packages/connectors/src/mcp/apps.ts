import * as z from 'zod';
import type { ToolUi } from '../tools/tool.ts';

/** The declaration of MCP Apps (SEP-1865) in the capabilities of a client: servers add their views then. */
export const APPS_EXTENSION: { readonly 'io.modelcontextprotocol/ui': { mimeTypes: string[] } } = {
  'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
};

/** Maximum characters of the address of a view. */
const MAX_URI_CHARACTERS = 2_000;
/** Maximum characters of the settings of a view, such as its content security policy. */
const MAX_SETTINGS_CHARACTERS = 16_000;

const resourceUri = z.string().max(MAX_URI_CHARACTERS).startsWith('ui://');
const visibility = z
  .array(z.enum(['model', 'app']))
  .optional()
  .catch(undefined);
const toolMeta = z.looseObject({
  ui: z
    .looseObject({ resourceUri: resourceUri.optional().catch(undefined), visibility })
    .optional()
    .catch(undefined),
  // The form before the final specification.
  'ui/resourceUri': resourceUri.optional().catch(undefined),
});

/** Returns the user interface that the `_meta` of a tool declares. Returns undefined if it declares none. */
export function toolUi(meta: unknown): ToolUi | undefined {
  const { data } = toolMeta.safeParse(meta);
  if (!data) return undefined;
  const ui: ToolUi = { resourceUri: data.ui?.resourceUri ?? data['ui/resourceUri'], visibility: data.ui?.visibility };
  return ui.resourceUri === undefined && ui.visibility === undefined ? undefined : ui;
}

/** Reads the settings of a view in the `_meta` of its resource: no other member passes. */
export const viewMeta: z.ZodType<{ readonly ui: Readonly<Record<string, unknown>> } | undefined> = z
  .object({ ui: z.record(z.string(), z.unknown()) })
  .refine((meta) => JSON.stringify(meta).length <= MAX_SETTINGS_CHARACTERS)
  .optional()
  .catch(undefined);
