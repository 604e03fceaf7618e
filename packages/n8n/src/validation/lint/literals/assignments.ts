import { isObject, shown } from '../../../json.ts';
import { typeProblem } from '../../field-type.ts';
import type { Finding } from '../../finding.ts';
import type { CheckedNode } from '../../publish.ts';
import type { Syntax } from '../../syntax.ts';
import type { Linted } from '../report.ts';

/** The version of the node that has assignments with types. */
const TYPED_SINCE = 3.3;

/** Reports assignments of an Edit Fields node whose literal n8n cannot convert to their type. */
export function assignmentFindings({ checked }: Linted, syntax: Syntax): Finding[] {
  return checked.flatMap(({ node, description, parameters }) => {
    const isTyped = description.name === 'n8n-nodes-base.set' && (node.typeVersion ?? 1) >= TYPED_SINCE;
    const { options, mode } = parameters;
    const isTolerant = isObject(options) && options.ignoreConversionErrors === true;
    if (node.disabled || !isTyped || mode === 'raw' || isTolerant) return [];
    return assignmentsOf(parameters).flatMap((entry, index): Finding[] => {
      if (!isObject(entry)) return [];
      const { type, value, name } = entry;
      const problem = value === '' ? undefined : typeProblem(value, { type: String(type), choices: [], syntax });
      if (problem === undefined) return [];
      const path = `parameters.assignments.assignments[${index}].value`;
      const message = `The field ${shown(name)} has the type ${type}, but ${path} is ${shown(value)}; the node fails.`;
      const fix = `Write a value of the type ${type}, set the type to "string", or write an expression.`;
      return [{ code: 'LITERAL_TYPE', node: node.name, path, message, fix }];
    });
  });
}

function assignmentsOf({ assignments }: CheckedNode['parameters']): readonly unknown[] {
  return isObject(assignments) && Array.isArray(assignments.assignments) ? assignments.assignments : [];
}
