import { suggest } from '@toolwright/core/suggest';
import { isChoice, isProperty, type NodeProperty } from '../../catalogs/description.ts';
import { STICKY_NOTE } from '../../catalogs/names.ts';
import { isObject, shown } from '../../json.ts';
import { isShown, type Shown } from '../../ports/display.ts';
import type { Finding } from '../finding.ts';
import type { CheckedNode } from '../publish.ts';
import type { LintRule } from './report.ts';

/** Reports unknown parameters, unknown choices, and empty required parameters that n8n accepts. */
export const valueRule: LintRule = ({ checked }) =>
  checked.flatMap((each) => {
    if (each.node.disabled || each.node.type === STICKY_NOTE) return [];
    const { node, description, parameters } = each;
    const shownBy: Shown = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
    const visible = description.properties.filter(
      (property) => JUDGED.has(property.type) && isShown(property, parameters, parameters, shownBy),
    );
    return [
      ...unknownParameters(each),
      ...visible.flatMap((property) => choiceFindings(node.name, property, parameters[property.name])),
      ...visible.flatMap((property) => emptyFindings(node.name, property, parameters[property.name])),
    ];
  });

const JUDGED = new Set(['options', 'multiOptions', 'json', 'number', 'credentialsSelect']);
/** Types of required parameters that n8n publishes empty. */
const PASSED_EMPTY = new Set(['json', 'number', 'credentialsSelect']);
/** n8n adds this parameter to nodes that its catalog describes without it, and its editor leaves empty names. */
const UNDESCRIBED = new Set(['requestOptions', '']);
/** n8n adds this choice to every node whose credentials its HTTP Request node can use. */
const CUSTOM_CALL = '__CUSTOM_API_CALL__';

function unknownParameters({ node, description }: CheckedNode): Finding[] {
  const known = new Set(description.properties.map(({ name }) => name));
  const findings: Finding[] = [];
  const report = (name: string, path: string, names: ReadonlySet<string>): void => {
    const message = `${description.name} has no parameter "${name}"; n8n ignores it.`;
    findings.push({
      code: 'UNKNOWN_PARAMETER',
      node: node.name,
      path,
      message,
      get fix() {
        const near = suggest(name, names, 2);
        return near.length > 0
          ? `Write ${near.join(' or ')}.`
          : 'Remove it. Call getNodeEssentials for the parameters.';
      },
    });
  };
  for (const [name, value] of Object.entries(node.parameters)) {
    if (UNDESCRIBED.has(name)) continue;
    if (!known.has(name)) {
      report(name, `parameters.${name}`, known);
      continue;
    }
    const collections = description.properties.filter((each) => each.name === name && each.type === 'collection');
    const members = new Set(
      collections.flatMap(({ options = [] }) => options.filter(isProperty).map((each) => each.name)),
    );
    if (members.size === 0 || !isObject(value)) continue;
    for (const member of Object.keys(value))
      if (!members.has(member)) report(member, `parameters.${name}.${member}`, members);
  }
  return findings;
}

function choiceFindings(node: string, property: NodeProperty, value: unknown): Finding[] {
  const choices = (property.options ?? []).filter(isChoice).map((choice) => choice.value);
  const isOpen = choices.length === 0 || property.typeOptions?.loadOptionsMethod !== undefined;
  if (isOpen || (property.type !== 'options' && property.type !== 'multiOptions')) return [];
  const given = Array.isArray(value) ? value : [value];
  const wrong = given.find(
    (one) =>
      one !== undefined && one !== '' && one !== CUSTOM_CALL && !String(one).startsWith('=') && !choices.includes(one),
  );
  if (wrong === undefined || (isObject(wrong) && '__rl' in wrong)) return [];
  const message = `${property.displayName ?? property.name} is ${shown(wrong)}, which is not one of its choices; the node fails or has no effect.`;
  return [
    {
      code: 'UNKNOWN_OPTION',
      node,
      path: `parameters.${property.name}`,
      message,
      get fix() {
        const near = suggest(String(wrong), choices.map(String), 3);
        return `Use ${(near.length > 0 ? near : choices.slice(0, 8).map(String)).join(', ')}.`;
      },
    },
  ];
}

function emptyFindings(node: string, property: NodeProperty, value: unknown): Finding[] {
  if (!property.required || !PASSED_EMPTY.has(property.type)) return [];
  if (value !== '' && value !== undefined && value !== null) return [];
  const message = `${property.displayName ?? property.name} is required but empty. n8n publishes this; the node fails at execution.`;
  return [
    {
      code: 'PARAMETER_EMPTY',
      node,
      path: `parameters.${property.name}`,
      message,
      fix: `Set parameters.${property.name}.`,
    },
  ];
}
