import { shown } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** The parameters of the node that hold a date, in all its operations. */
const DATES = ['date', 'magnitude', 'startDate', 'endDate'];
/** The version of the node with these parameters. */
const SINCE = 2;

/** Reports dates of a Date & Time node that no format can read: a text without a digit. */
export const dateRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }) => {
    if (node.disabled || description.name !== 'n8n-nodes-base.dateTime' || (node.typeVersion ?? 1) < SINCE) return [];
    return DATES.flatMap((name): Finding[] => {
      const value = parameters[name];
      if (typeof value !== 'string' || value === '' || value.startsWith('=') || /\d/.test(value)) return [];
      const path = `parameters.${name}`;
      const message = `${path} is ${shown(value)}, which is no date; the node fails.`;
      return [
        {
          code: 'LITERAL_TYPE',
          node: node.name,
          path,
          message,
          fix: 'Write a date such as 2026-01-31, or ={{ $now }}.',
        },
      ];
    });
  });
