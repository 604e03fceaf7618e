import { expect, it } from 'vitest';
import { validateWorkflow } from '../../packages/n8n/src/validation/validate.ts';
import { autofixWorkflow } from '../../packages/n8n/src/workflows/autofix.ts';
import { buildWorkflow } from '../../packages/n8n/src/workflows/build.ts';
import { needsTemplates, openRealCatalog, readTemplates } from './templates.ts';

/**
 * The warnings about accepted templates that are right, by template: the node fails, does nothing or never runs, or n8n's API
 * rejects the setting. Each one was compared with its workflow.
 */
const RIGHT: Readonly<Record<number, readonly string[]>> = {
  4627: ['EXPRESSION_WITHOUT_EQUALS'],
  5140: ['UNREACHABLE_NODE'],
  5498: ['CREDENTIAL_MISSING'],
  5577: ['CREDENTIAL_MISSING'],
  5580: ['CREDENTIAL_MISSING'],
  8326: ['EXPRESSION_UNKNOWN_NODE'],
  8970: ['UNREACHABLE_NODE'],
  10531: ['EXPRESSION_WITHOUT_EQUALS', 'FILTER_SHAPE'],
  13245: ['SETTING_UNKNOWN'],
};
/** The share of accepted templates with any other warning: a false alarm. */
const MAX_FALSE_ALARMS = 0.02;

const MODEL = { type: 'lmChatOpenAi', name: 'Model', credentials: { openAiApi: { id: '1', name: 'o' } } };
const AGENT = { type: 'agent', name: 'Agent', parameters: { promptType: 'define', text: '={{ $json.body.text }}' } };
const WEBHOOK = { type: 'webhook', name: 'In', parameters: { path: 'in' } };
const tool = (name: string) => ({ type: 'httpRequestTool', name, parameters: { url: 'https://example.test' } });

needsTemplates.describe('mistakes that n8n publishes and that fail at execution', () => {
  it.each([
    ['a merge without fields', 'FIELDS_MISSING', [{ type: 'merge', parameters: { mode: 'combine' } }]],
    ['a comparison without fields', 'FIELDS_MISSING', [{ type: 'compareDatasets' }]],
    ['a sort without fields', 'FIELDS_MISSING', [{ type: 'sort' }]],
    [
      'duplicates without fields',
      'FIELDS_MISSING',
      [{ type: 'removeDuplicates', parameters: { compare: 'selectedFields' } }],
    ],
    [
      'an output that a switch lacks',
      'UNKNOWN_OPTION',
      [{ type: 'switch', parameters: { mode: 'expression', numberOutputs: 2, output: 5 } }],
    ],
    [
      'an expression for an output that a switch lacks',
      'UNKNOWN_OPTION',
      [{ type: 'switch', parameters: { mode: 'expression', numberOutputs: 2, output: '={{ 7 }}' } }],
    ],
    ['SQL of no statement', 'SQL_SYNTAX', [{ type: 'merge', parameters: { mode: 'combineBySql', query: 'SELEC 1' } }]],
    [
      'a date that is a word',
      'LITERAL_TYPE',
      [{ type: 'dateTime', parameters: { operation: 'formatDate', date: 'soon', format: 'yyyy' } }],
    ],
    ['an image without a file', 'BINARY_MISSING', [{ type: 'editImage', parameters: { operation: 'information' } }]],
    ['a feed without a protocol', 'URL_SHAPE', [{ type: 'rssFeedRead', parameters: { url: 'news' } }]],
    [
      'a sub-workflow that is no JSON',
      'JSON_SYNTAX',
      [{ type: 'executeWorkflow', parameters: { source: 'parameter', workflowJson: '{ "nodes": ' } }],
    ],
    ['two tools of one name', 'TOOL_NAME_SHARED', [AGENT, MODEL, tool('Get it'), tool('Get-it'), tool('Get.it')]],
    ['a memory without a chat', 'SESSION_MISSING', [AGENT, MODEL, { type: 'memoryBufferWindow' }]],
  ])('%s is reported', async (_what, code, nodes) => {
    const catalog = openRealCatalog();
    const connections = nodes.some(({ type }) => ['merge', 'compareDatasets'].includes(String(type)))
      ? [{ from: 'In', to: nodes[0]?.type === 'merge' ? 'Merge' : 'Compare Datasets', input: 0 }]
      : undefined;
    const workflow = buildWorkflow({ nodes: [WEBHOOK, ...nodes], connections }, catalog);
    const { warnings } = await validateWorkflow(workflow, catalog);
    expect(warnings.map((each) => each.code)).toContain(code);
  });

  it('are none for a file of a caller, who can send one with every method but GET', async () => {
    const catalog = openRealCatalog();
    const codes = async (httpMethod: string) => {
      const nodes = [
        { ...WEBHOOK, parameters: { path: 'in', httpMethod } },
        { type: 'extractFromFile', name: 'Read' },
      ];
      return (await validateWorkflow(buildWorkflow({ nodes }, catalog), catalog)).warnings.map(({ code }) => code);
    };
    expect(await codes('POST')).toEqual([]);
    expect(await codes('GET')).toEqual(['BINARY_MISSING']);
  });

  it('are none where n8n may ignore the type of a value', async () => {
    const catalog = openRealCatalog();
    const parameters = { assignments: { assignments: [{ id: '1', name: 'a', type: 'number', value: 'x' }] } };
    const codes = async (options: object) => {
      const workflow = buildWorkflow(
        { nodes: [WEBHOOK, { type: 'set', parameters: { ...parameters, options } }] },
        catalog,
      );
      return (await validateWorkflow(workflow, catalog)).warnings.map(({ code }) => code);
    };
    expect(await codes({})).toEqual(['LITERAL_TYPE']);
    expect(await codes({ ignoreConversionErrors: true })).toEqual([]);
  });

  it('changes the language of a program that n8n 2 can run, and no other', async () => {
    const catalog = openRealCatalog();
    const language = async (pythonCode: string) => {
      const nodes = [WEBHOOK, { type: 'code', name: 'Code', parameters: { language: 'python', pythonCode } }];
      const { workflow } = await autofixWorkflow(buildWorkflow({ nodes }, catalog), catalog);
      return workflow.nodes[1]?.parameters;
    };
    expect(await language('return _items')).toMatchObject({ language: 'pythonNative' });
    expect(await language('return _input.all()')).toMatchObject({ language: 'python' });
  });

  it(`are wrong in at most ${100 * MAX_FALSE_ALARMS} % of the templates that n8n accepts`, async () => {
    const catalog = openRealCatalog();
    const templates = readTemplates().filter(({ accepted }) => accepted);
    const found = await Promise.all(
      templates.map(async ({ template, workflow }) => {
        const { warnings } = await validateWorkflow(workflow, catalog);
        const codes = [...new Set(warnings.map(({ code }) => code))].sort();
        return { template, right: codes.filter(isRight), wrong: codes.filter((code) => !isRight(code)) };

        function isRight(code: string): boolean {
          return RIGHT[template]?.includes(code) === true;
        }
      }),
    );
    const alarms = found.filter(({ wrong }) => wrong.length > 0);
    const warned = found.filter(({ right }) => right.length > 0);
    console.info(`${templates.length} accepted templates: ${warned.length} with right warnings, false alarms:`, alarms);
    expect(alarms.length / templates.length).toBeLessThanOrEqual(MAX_FALSE_ALARMS);
    // A right warning must not get lost.
    expect(Object.fromEntries(warned.map(({ template, right }) => [template, right]))).toEqual(RIGHT);
  });
});
