import { shown } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** The words with which a statement begins. */
const VERBS =
  /^(?:select|with|insert|update|delete|create|drop|alter|replace|merge|declare|set|begin|truncate|explain|show)\b/i;
const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()+/;

/** Reports SQL of a Merge node that begins with no known word. */
export const sqlTextRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }): Finding[] => {
    const { mode, query } = parameters;
    if (node.disabled || description.name !== 'n8n-nodes-base.merge' || mode !== 'combineBySql') return [];
    if (typeof query !== 'string') return [];
    const text = query.replace(/^=/, '').replace(COMMENTS, '');
    if (text === '' || text.startsWith('{{') || VERBS.test(text)) return [];
    const message = `parameters.query begins with ${shown(text.split(/\s/, 1)[0])}, which begins no SQL statement; the node fails.`;
    const fix = 'Write a statement such as SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id.';
    return [{ code: 'SQL_SYNTAX', node: node.name, path: 'parameters.query', message, fix }];
  });
