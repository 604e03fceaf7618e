import type { ToolLanguage } from '@toolwright/connectors';
import { PYTHON_LINE } from '../../catalog/signatures/python/types.ts';
import { resultType } from '../../catalog/signatures/signature.ts';
import { TYPESCRIPT_LINE } from '../../catalog/signatures/typescript/types.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { ToolCallRecord } from '../../journal/call-record.ts';

/** Tools whose results a hint shows, and approximate tokens of each. */
const MAX_TOOLS = 2;
const TYPE_TOKENS = 40;

/** Returns the types of the last results that a program received; undefined without any. Never rejects. */
export async function resultsHint(
  calls: readonly ToolCallRecord[],
  catalog: UserCatalog,
  language: ToolLanguage,
): Promise<string | undefined> {
  const answered = calls.filter(({ status }) => status === 'answered').map(({ tool }) => tool);
  const last = [...new Set(answered.reverse())].slice(0, MAX_TOOLS);
  const syntax = language === 'python' ? PYTHON_LINE : TYPESCRIPT_LINE;
  const shown = last.map(async (id) => {
    const tool = await catalog.tool(id).catch(() => undefined);
    const type = tool && resultType(catalog.withObserved(tool), syntax, TYPE_TOKENS);
    return type === undefined ? [] : [`${id} returned ${type}.`];
  });
  const texts = (await Promise.all(shown)).flat();
  return texts.length === 0 ? undefined : texts.join(' ');
}
