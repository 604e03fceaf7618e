import type { LanguageName } from '@toolwright/sandbox';
import { queriesOf } from '../agent/look-up.ts';
import type { ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';

export interface SearchArguments {
  /** One query per line. */
  readonly query: string;
  readonly server?: string;
  readonly limit?: number;
  readonly language?: LanguageName;
}

/** Searches tools and skills. */
export async function searchTools(
  { query, ...options }: SearchArguments,
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const { hits, note, text } = await toolwright.search(queriesOf(query), { ...options, userId: user });
  const lines = hits.map(({ signature, description }) =>
    description === '' ? signature : `${signature}  ${description}`,
  );
  return { text, structured: { hits: lines, ...(note === undefined ? {} : { note }) } };
}

/** Returns the full declaration of one tool. */
export async function getToolDefinition(
  { name, language }: { readonly name: string; readonly language?: LanguageName },
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const definition = await toolwright.describe(name, 'docs', {
    userId: user,
    ...(language === undefined ? {} : { language }),
  });
  return { text: definition, structured: { definition } };
}
