import { STICKY_NOTE } from '../../../catalogs/names.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';
import { visitTexts } from '../texts.ts';

/** A whole text that is one path into the data, without braces. */
const BARE =
  /^=?\s*\$(?:(?:json|binary|vars|env|workflow|execution|now|today)(?:\s*\??\.\s*[A-Za-z_$][\w$]*|\[[^\]\n]{1,80}\])+|input\.(?:item|first\(\)|last\(\))\.json\b[^\s{}]*|\((?:"[^"\n]{1,100}"|'[^'\n]{1,100}')\)\.(?:item|first\(\)|last\(\))\.json\b[^\s{}]*)\s*$/;
/** Parameters whose text is a program, or shown as it is. */
const OTHER_TEXTS = new Set('jsCode pythonCode functionCode code content notice expression'.split(' '));

/** Returns whether a parameter is a path into the data that n8n passes on as text. */
export function isBareVariable(text: string, key: string): boolean {
  return !OTHER_TEXTS.has(key) && BARE.test(text);
}

/** Returns the expression that a bare variable means. */
export function bracedVariable(text: string): string {
  return `={{ ${text.replace(/^=/, '').trim()} }}`;
}

/** Reports parameters such as `$json.name`, which n8n uses as text. */
export const bareVariableRule: LintRule = ({ workflow }) =>
  workflow.nodes.flatMap((node) => {
    const findings: Finding[] = [];
    if (node.disabled || node.type === STICKY_NOTE) return findings;
    visitTexts(node.parameters, 'parameters', (text, path, key) => {
      if (!isBareVariable(text, key)) return;
      const message = `${path} is the text "${text.trim()}": without braces n8n does not read it as an expression.`;
      findings.push({
        code: 'EXPRESSION_WITHOUT_BRACES',
        node: node.name,
        path,
        message,
        fix: `Write "${bracedVariable(text)}".`,
      });
    });
    return findings;
  });
