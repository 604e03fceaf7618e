import { shown } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

const REQUESTS = new Set(['n8n-nodes-base.httpRequest', 'n8n-nodes-base.httpRequestTool']);
/** The version of the node that checks its URL before the request. */
const CHECKS_SINCE = 3;

/** Reports URLs of requests that do not begin with a protocol that n8n accepts. */
export const urlRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }): Finding[] => {
    const { url } = parameters;
    if (node.disabled || !REQUESTS.has(description.name) || (node.typeVersion ?? 1) < CHECKS_SINCE) return [];
    if (typeof url !== 'string') return [];
    const text = url.replace(/^=/, '').trim();
    // Only the execution knows a URL that begins with an expression, and a placeholder is no mistake of its form.
    if (text === '' || text.startsWith('{{') || text.startsWith('<') || /^https?:/i.test(text)) return [];
    if (url.startsWith('=') && 'https://'.startsWith(text.replace(/\{\{.*$/s, '').toLowerCase())) return [];
    const message = `parameters.url is ${shown(url)}, which does not start with http:// or https://; the node fails.`;
    const fix = `Write the whole URL, such as ${url.startsWith('=') ? '=' : ''}https://${text.slice(0, 60).replace(/^[\w.+-]*:?\/\//, '')}.`;
    return [{ code: 'URL_SHAPE', node: node.name, path: 'parameters.url', message, fix }];
  });
