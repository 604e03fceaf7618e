import { shown } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** Reports Switch nodes that send all items to an output that they do not have. */
export const switchOutputRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }): Finding[] => {
    const { mode, output, numberOutputs } = parameters;
    if (node.disabled || description.name !== 'n8n-nodes-base.switch' || mode !== 'expression') return [];
    const literal = typeof output === 'string' ? output.replace(/^=\s*\{\{\s*(\d+)\s*\}\}\s*$/, '$1') : output;
    const [number, count] = [Number(literal), Number(numberOutputs)];
    // Only the execution knows an expression.
    if (output === '' || !Number.isFinite(number) || !Number.isFinite(count) || number < count) return [];
    const message = `parameters.output is ${shown(output)}, but the node has outputs 0 to ${count - 1}; the node fails.`;
    const fix = `Use ${count - 1} at most, or set parameters.numberOutputs to ${number + 1}.`;
    return [{ code: 'UNKNOWN_OPTION', node: node.name, path: 'parameters.output', message, fix }];
  });
