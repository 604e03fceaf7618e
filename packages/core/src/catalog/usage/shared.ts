import type { Steps } from '@toolwright/pii/internal';
import type { ToolUse, UsageRecord } from './record.ts';

/** Users who must have taught a word, or used a tool, before it counts for others. */
export const MIN_USERS = 3;

/**
 * Collects in steps the words and uses that several users share. Each user counts once for each tool and word, however often the
 * user called the tool. Words and uses of fewer than `MIN_USERS` users are left out. So no user can move a tool for others, and no
 * word of one user affects the answers of others.
 */
export function* sharedRecord(records: Iterable<UsageRecord>): Steps<UsageRecord> {
  const tools = new Map<string, { readonly server: string; users: number; readonly words: Map<string, number> }>();
  for (const record of records) {
    yield;
    for (const [id, { server, words }] of record) {
      const key = JSON.stringify([id, server]);
      const tool = tools.get(key) ?? { server, users: 0, words: new Map<string, number>() };
      tools.set(key, tool);
      tool.users++;
      for (const term of words.keys()) tool.words.set(term, (tool.words.get(term) ?? 0) + 1);
    }
  }
  const shared = new Map<string, ToolUse>();
  for (const [key, { server, users, words }] of tools) {
    if (users < MIN_USERS) continue;
    const [id] = JSON.parse(key) as [string];
    const kept = new Map([...words].filter(([, count]) => count >= MIN_USERS));
    shared.set(id, { server, uses: users, words: kept });
  }
  return shared;
}
