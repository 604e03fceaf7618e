import type { Finding } from '../../finding.ts';
import { chunksOf } from '../expressions/expression-chunks.ts';
import type { LintRule } from '../report.ts';

const BASE = 'n8n-nodes-base.';
/** Parameters that n8n parses as JSON at execution, by type. */
const JSON_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  [`${BASE}httpRequest`]: ['jsonBody', 'jsonQuery', 'jsonHeaders'],
  [`${BASE}httpRequestTool`]: ['jsonBody', 'jsonQuery', 'jsonHeaders'],
  [`${BASE}respondToWebhook`]: ['responseBody'],
  [`${BASE}executeWorkflow`]: ['workflowJson'],
  '@n8n/n8n-nodes-langchain.outputParserStructured': ['jsonSchemaExample', 'inputSchema'],
};

/** Reports JSON that n8n cannot parse, for any values of the expressions in it. */
export const jsonTextRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }) => {
    const names = Object.hasOwn(JSON_PARAMETERS, description.name) ? JSON_PARAMETERS[description.name] : undefined;
    if (node.disabled || names === undefined) return [];
    if (node.type === `${BASE}respondToWebhook` && parameters.respondWith !== 'json') return [];
    if (node.type === `${BASE}executeWorkflow` && parameters.source !== 'parameter') return [];
    return names.flatMap((name): Finding[] => {
      const text = parameters[name];
      if (node.parameters[name] === undefined || typeof text !== 'string') return [];
      const problem = jsonProblem(text);
      if (problem === undefined) return [];
      const path = `parameters.${name}`;
      const message = `${path} is not JSON: ${problem}. The node fails at execution.`;
      const fix = text.startsWith('=')
        ? 'Correct the text around the expressions, or write one expression: ={{ JSON.stringify({ a: $json.a }) }}.'
        : 'Correct the JSON: double quotes for names and texts, no comma at the end, no comments.';
      return [{ code: 'JSON_SYNTAX', node: node.name, path, message, fix }];
    });
  });

/** Returns the problem of a JSON text; undefined when it is JSON for some values of its expressions. */
export function jsonProblem(text: string): string | undefined {
  const isExpression = text.startsWith('=');
  const chunks = isExpression ? chunksOf(text.slice(1)) : [{ code: false, text, closed: true }];
  if (chunks.every(({ code, text: own }) => code || own.trim() === '')) return undefined;
  if (!isExpression && text.includes('{{')) return undefined;
  // An expression may stand for a value, for a part of a text, or for nothing.
  const problems = ['1', ''].map((value) =>
    parseProblem(chunks.map((each) => (each.code ? value : each.text)).join('')),
  );
  return problems.includes(undefined) ? undefined : problems[0];
}

function parseProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 120) : 'it cannot be parsed';
  }
}
