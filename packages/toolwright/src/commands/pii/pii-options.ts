import { type Command, defineCommand, type Output, pick, UsageError } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const piiCommand: Command = defineCommand({
  name: 'pii',
  summary: 'Find personal data in a text, or delete it from a vault',
  usage: [
    'scan [FILE | -] [options]',
    'forget VALUE --session ID [--config FILE] [--json]',
    'rotate [--config FILE] [--json]',
  ],
  options: {
    eval: { type: 'string', short: 'e', value: 'TEXT', text: 'scan: text to scan, instead of a file' },
    jsonl: { type: 'boolean', text: 'scan: read {"id","text"}, print {"id","spans"}, one per line' },
    session: { type: 'string', value: 'ID', text: 'forget: session whose vault holds the value' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'Without a file, "scan" reads standard input. It masks the values that it prints.',
    '"forget" removes a value or its placeholder from a vault. "rotate" encrypts all vaults with the current key.',
  ],
  examples: [
    ['toolwright pii scan letter.txt', 'print the type and place of each value'],
    ['toolwright pii forget ada@example.org --session s1', 'remove one value from a vault'],
  ],
  async run(values, words, output) {
    if (words[0] === 'rotate' || words[0] === 'forget') return runVault(values, words, output);
    if (values.session !== undefined)
      throw new UsageError('"toolwright pii scan" has no option --session. Only "pii forget" has it.');
    const [{ pii }, { findConfig, loadConfig }] = await Promise.all([
      import('./pii.ts'),
      import('@toolwright/core/config'),
    ]);
    const path = findConfig({ path: values.config });
    const settings = path === undefined ? {} : (await loadConfig({ path })).pii;
    return pii({ words, ...pick('text', values.eval), json: values.json, jsonl: values.jsonl, settings }, output);
  },
});

async function runVault(
  { session, json, config: path }: { session: string | undefined; json: boolean; config: string | undefined },
  words: readonly string[],
  output: Output,
): Promise<number> {
  const [{ findConfig }, { piiVault }] = await Promise.all([
    import('@toolwright/core/config'),
    import('./pii-vault.ts'),
  ]);
  return withToolwright(pick('config', findConfig({ path })), (toolwright) =>
    piiVault(toolwright, { words, json, ...pick('session', session) }, output),
  );
}
