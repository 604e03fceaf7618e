import { fileURLToPath } from 'node:url';
import { createLinter, loadTextlintrc } from 'textlint';
import { extractComments } from './comments.mjs';
import { extractStrings, extractTitles } from './strings.mjs';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Returns `lint(path, text)`, which applies the rules of `.textlintrc.json` to a page, or to the strings, test titles and
 * comments of a source file. It resolves to `{ line, ruleId, message }` for each finding.
 */
export async function createProseLinter() {
  const descriptor = await loadTextlintrc({
    configFilePath: pathOf('../../.textlintrc.json'),
    node_modulesDir: pathOf('rules'),
  });
  const linter = createLinter({ descriptor });
  return async (path, text) => {
    if (path.endsWith('.md')) return (await linter.lintText(text, path)).messages;
    const extract = path.endsWith('.test.ts') ? extractTitles : extractStrings;
    const strings = [...extract(path, text), ...extractComments(path, text)];
    const { messages } = await linter.lintText(strings.map((string) => string.text).join('\n'), `${path}.txt`);
    return messages.map((message) => ({ ...message, line: strings[message.line - 1].line }));
  };
}
