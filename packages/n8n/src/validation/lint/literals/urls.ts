import { shown } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** Nodes that check their URL before the request, and the version since which they do. */
const REQUESTS: Readonly<Record<string, number>> = {
  'n8n-nodes-base.httpRequest': 3,
  'n8n-nodes-base.httpRequestTool': 3,
  'n8n-nodes-base.rssFeedRead': 1,
};

/** Reports URLs of requests that do not begin with a protocol that n8n accepts. */
export const urlRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }): Finding[] => {
    const { url } = parameters;
    const since = Object.hasOwn(REQUESTS, description.name) ? REQUESTS[description.name] : undefined;
    if (node.disabled || since === undefined || (node.typeVersion ?? 1) < since) return [];
    if (typeof url !== 'string') return [];
    const text = url.replace(/^=/, '').trim();
    // Only the execution knows a URL that begins with an expression, and a placeholder is no mistake of its form.
    if (text === '' || text.startsWith('{{') || text.startsWith('<') || /^https?:/i.test(text)) return [];
    if (url.startsWith('=') && 'https://'.startsWith(text.replace(/\{\{.*$/s, '').toLowerCase())) return [];
    const message = `parameters.url is ${shown(url)}, which does not start with http:// or https://; the node fails.`;
    const fix = `Write the whole URL, such as ${url.startsWith('=') ? '=' : ''}https://${text.slice(0, 60).replace(/^[\w.+-]*:?\/\//, '')}.`;
    return [{ code: 'URL_SHAPE', node: node.name, path: 'parameters.url', message, fix }];
  });
