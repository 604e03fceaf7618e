import { readDetailLevel } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { queriesOf } from '../../agent/loop/look-up.ts';
import type { ToolResponse } from '../../agent/loop/tool-response.ts';
import type { Caller } from '../call.ts';

export interface SearchArguments {
  /** One query per line. */
  readonly query: string;
  readonly server?: string;
  readonly category?: string;
  /** `names`, `summary` or `full`. */
  readonly detail_level?: string;
  readonly limit?: number;
  readonly language?: LanguageName;
}

/** Searches tools and skills. */
export async function searchTools(
  { query, detail_level, ...options }: SearchArguments,
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const detailLevel = readDetailLevel(detail_level);
  const { hits, note, text } = await toolwright.search(queriesOf(query), { ...options, detailLevel, userId: user });
  const lines = hits.map(({ id, signature, description, definition = signature }) => {
    if (detailLevel === 'names') return id;
    return detailLevel === 'full' || description === '' ? definition : `${signature}  ${description}`;
  });
  return { text, structured: { hits: lines, note } };
}

/** Returns the full declaration of one tool. */
export async function getToolDefinition(
  { name, ...options }: { readonly name: string; readonly category?: string; readonly language?: LanguageName },
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const definition = await toolwright.describe(name, 'docs', { ...options, userId: user });
  return { text: definition, structured: { definition } };
}
