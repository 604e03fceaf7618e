import type { Finding } from '../../finding.ts';
import { chunksOf } from '../expressions/expression-chunks.ts';
import type { LintRule } from '../report.ts';
import { visitTexts } from '../texts.ts';

/** n8n denies the access to variables of its environment since this version. */
const DENIED_SINCE = 2;
const ENVIRONMENT = /(?<![\w$.])\$env\b/;

/** Reports expressions that read variables of the environment of n8n. */
export const environmentRule: LintRule = ({ checked, catalog }) => {
  if (Number.parseInt(catalog.version, 10) < DENIED_SINCE) return [];
  return checked.flatMap(({ node }) => {
    const findings: Finding[] = [];
    if (node.disabled) return findings;
    visitTexts(node.parameters, 'parameters', (text, path) => {
      if (!text.startsWith('=') || !chunksOf(text.slice(1)).some((chunk) => chunk.code && ENVIRONMENT.test(chunk.text)))
        return;
      const message = `${path} reads $env, which n8n ${catalog.version} denies by default; the node fails.`;
      const fix = 'Use $vars or a credential, or set N8N_BLOCK_ENV_ACCESS_IN_NODE=false for n8n.';
      findings.push({ code: 'EXPRESSION_ENVIRONMENT', node: node.name, path, message, fix });
    });
    return findings;
  });
};
