import { isObject, type JsonObject } from '../../../json.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** Fields without which an operation fails, although n8n does not require them. */
interface Need {
  readonly when: (parameters: JsonObject, version: number) => boolean;
  readonly path: string;
  readonly what: string;
  readonly example: string;
}

const isCombined = ({ mode, combineBy, combinationMode }: JsonObject, version: number): boolean =>
  mode === 'combine' &&
  (version >= 3 ? combineBy === 'combineByFields' : version >= 2 && combinationMode === 'mergeByFields');

const PAIR = '{"values": [{"field1": "id", "field2": "id"}]}';

/** By the name after `n8n-nodes-base.`. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  merge: [
    {
      when: (parameters, version) => isCombined(parameters, version) && version >= 3 && parameters.advanced !== true,
      path: 'fieldsToMatchString',
      what: 'fields to match',
      example: '"id"',
    },
    {
      when: (parameters, version) => isCombined(parameters, version) && (version < 3 || parameters.advanced === true),
      path: 'mergeByFields',
      what: 'fields to match',
      example: PAIR,
    },
  ],
  compareDatasets: [{ when: () => true, path: 'mergeByFields', what: 'fields to match', example: PAIR }],
  sort: [
    {
      when: ({ type }) => type === 'simple',
      path: 'sortFieldsUi',
      what: 'fields to sort by',
      example: '{"sortField": [{"fieldName": "date", "order": "ascending"}]}',
    },
  ],
  removeDuplicates: [
    {
      when: ({ operation, compare }) =>
        compare === 'selectedFields' && (operation === undefined || operation === 'removeDuplicateInputItems'),
      path: 'fieldsToCompare',
      what: 'fields to compare',
      example: '"id"',
    },
  ],
  summarize: [
    {
      when: () => true,
      path: 'fieldsToSummarize',
      what: 'fields to summarize',
      example: '{"values": [{"aggregation": "sum", "field": "amount"}]}',
    },
  ],
};

/** Reports merges, sorts and comparisons without the fields that they need. */
export const neededFieldRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description, parameters }) => {
    const short = description.name.replace(/^n8n-nodes-base\./, '');
    if (node.disabled || !Object.hasOwn(NEEDS, short)) return [];
    return (NEEDS[short] ?? []).flatMap(({ when, path, what, example }): Finding[] => {
      if (!when(parameters, node.typeVersion ?? 1) || !isEmpty(parameters[path])) return [];
      const message = `parameters.${path} is empty: the node has no ${what}, and fails at execution.`;
      const fix = `Set parameters.${path} to ${example}.`;
      return [{ code: 'FIELDS_MISSING', node: node.name, path: `parameters.${path}`, message, fix }];
    });
  });

/** Returns whether a value holds no name of a field. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isEmpty);
  if (!isObject(value)) return value === undefined || value === null || value === '';
  const names = ['field', 'field1', 'fieldName'].filter((name) => name in value);
  return (names.length > 0 ? names.map((name) => value[name]) : Object.values(value)).every(isEmpty);
}
