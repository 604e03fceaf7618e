import { describe, expect, it } from 'vitest';
import { createNodeCatalog } from '../../catalogs/catalog.ts';
import { EXAMPLE_CATALOG } from '../../catalogs/example/catalog.ts';
import { indexOf } from '../../catalogs/index-file.ts';
import { toBody } from '../body.ts';
import { buildWorkflow } from '../build.ts';
import { applyOperations } from '../edits/operations.ts';
import { linksOf, linkText } from './connections.ts';
import { nodesOf } from './ports.ts';

const catalog = createNodeCatalog(indexOf(EXAMPLE_CATALOG));

const NODES = [
  { type: 'webhook', name: 'In', parameters: { path: 'in' } },
  { type: 'if', name: 'If' },
  { type: 'splitInBatches', name: 'Loop' },
  {
    type: 'switch',
    name: 'Route',
  },
  { type: 'merge', name: 'Merge' },
  { type: 'code', name: 'Code', onError: 'continueErrorOutput' },
  { type: 'noOp', name: 'A -> B [x]' },
  { type: 'noOp', name: 'End' },
  { type: 'agent', name: 'Agent', parameters: { hasOutputParser: true } },
  { type: 'lmChatOpenAi', name: 'Model' },
  { type: 'slack', name: 'Slack' },
  { type: 'stickyNote', name: 'Note' },
].filter(({ type }) => catalog.resolve(type) !== undefined);

/** Returns the links of a workflow with all nodes and these connections, as text. */
function link(...connections: unknown[]): string[] {
  const { nodes, connections: made } = buildWorkflow({ nodes: NODES, connections }, catalog);
  return linksOf(made).map((each) => linkText(each, nodesOf(nodes, catalog)));
}

describe('a connection', () => {
  it.each([
    ['a text', 'In -> End', 'In -> End'],
    ['a pair', ['In', 'End'], 'In -> End'],
    ['an output by name', 'If [false] -> End', 'If [false] -> End'],
    ['an output by name, in an object', { from: 'If', output: 'FALSE', to: 'End' }, 'If [false] -> End'],
    ['an output by number', { from: 'If', output: 1, to: 'End' }, 'If [false] -> End'],
    ['the output of a loop', 'Loop [loop] -> Code', 'Loop [loop] -> Code'],
    ['the end of a loop', { from: 'Loop', output: 'done', to: 'End' }, 'Loop [done] -> End'],
    ['an input by name', 'In -> Merge [Input 2]', 'In -> Merge [Input 2]'],
    ['an input by number', { from: 'In', to: 'Merge', input: 1 }, 'In -> Merge [Input 2]'],
    ['an error output', 'Code [error] -> End', 'Code [Error] -> End'],
    ['the first of a step with an error output', 'Code -> End', 'Code [Success] -> End'],
    ['a sub-node without ports', 'Model -> Agent', 'Model (ai_languageModel) -> Agent'],
    ['a sub-node with its type', 'Model (ai_languageModel) -> Agent', 'Model (ai_languageModel) -> Agent'],
    ['a sub-node with the name of the input', 'Model -> Agent [Chat Model]', 'Model (ai_languageModel) -> Agent'],
    ['names with arrows and brackets', 'In -> A -> B [x]', 'In -> A -> B [x]'],
  ])('is %s', (_what, written, text) => expect(link(written)).toEqual([text]));

  it.each([
    ['an output that does not exist', 'If [maybe] -> End', '"If" has no output "maybe". Its outputs are: true, false.'],
    [
      'a number that is too high',
      { from: 'If', output: 2, to: 'End' },
      '"If" has no output 2. Its outputs are: true, false.',
    ],
    ['one of several outputs without a name', 'If -> End', 'several outputs: true, false. Name one: "A [true] -> B"'],
    ['one of several inputs without a name', 'In -> Merge', 'several inputs: Input 1, Input 2. Name one'],
    ['an input that does not exist', 'In -> Merge [Input 3]', 'Its inputs are: Input 1, Input 2.'],
    ['an input of a trigger', 'End -> In', '"In" has no input of type main. It has no inputs.'],
    ['an error output that is off', 'In [error] -> End', 'Set onError: "continueErrorOutput"'],
    ['a sub-node as a step', 'Model -> End', '"End" has no input of type ai_languageModel. Its inputs are: main.'],
    ['a step as a sub-node', 'Slack (ai_tool) -> Agent', 'use the type "slackTool"'],
    [
      'an input of an agent',
      'Model -> Agent [Memory]',
      'Its inputs are: main, Chat Model (ai_languageModel), Memory (ai_memory)',
    ],
    [
      'an unknown key',
      { from: 'In', to: 'End', sourceOutput: 1 },
      'no key "sourceOutput". Its keys are: from, to, output, input, type.',
    ],
    ['an unknown node', 'In -> Ende', 'has no node "Ende". Did you mean "End"'],
    ['a type instead of a name', 'In -> splitInBatches', 'Did you mean "Loop"'],
    ['three names', ['In', 'If', 'End'], 'Cannot read the connection'],
    ['half of a text', 'In ->', 'Cannot read the connection'],
    ['a negative number', { from: 'If', output: -1, to: 'End' }, 'Cannot read the connection'],
    ['a note', 'In -> Note', '"Note" has no input'],
  ])('is refused with the valid ones: %s', (_what, written, message) => expect(() => link(written)).toThrow(message));
});

describe('an edit', () => {
  const start = () =>
    buildWorkflow(
      { nodes: NODES, connections: ['If [true] -> End', 'If [false] -> End', 'In -> If', 'In -> End'] },
      catalog,
    );
  const edit = (...operations: object[]) => applyOperations(start(), operations, catalog);
  const texts = (workflow: ReturnType<typeof start>) =>
    linksOf(workflow.connections).map((each) => linkText(each, nodesOf(workflow.nodes, catalog)));

  it('removes exactly the named connection', () => {
    const removed = edit({ op: 'disconnect', from: 'If', output: 'false', to: 'End' });
    expect(texts(removed)).toEqual(['If [true] -> End', 'In -> If', 'In -> End']);
    expect(
      edit({ op: 'disconnect', from: 'If', to: 'End', output: 1 }, { op: 'disconnect', from: 'If', to: 'End' })
        .connections,
    ).toEqual({
      In: {
        main: [
          [
            { node: 'If', type: 'main', index: 0 },
            { node: 'End', type: 'main', index: 0 },
          ],
        ],
      },
    });
  });

  it.each([
    [
      { op: 'disconnect', from: 'If', to: 'End' },
      '2 connections match "If -> End": "If [true] -> End", "If [false] -> End"',
    ],
    [{ op: 'disconnect', from: 'Code', to: 'End' }, 'no connection "Code -> End". There is: "If [true] -> End"'],
    [{ op: 'disconnect', from: 'In', to: 'End', output: 3 }, 'There is: "In -> End".'],
    [{ op: 'disconnect', from: 'In', to: 'End', port: 3 }, 'has no key "port"'],
    [{ op: 'connect', from: 'If', to: 'End', outputIndex: 1 }, 'has no key "outputIndex". Did you mean "output"?'],
    [{ op: 'connect', from: 'If', to: 'End' }, 'several outputs: true, false'],
    [{ op: 'addNode', node: { type: 'noOp', params: {} } }, 'has no key "params". Did you mean "parameters"?'],
    [{ op: 'addNode', node: { type: 'noOp' }, after: 'If' }, 'several outputs: true, false'],
    [{ op: 'updateNode', name: 'If', parameter: {} }, 'has no key "parameter". Did you mean "parameters"?'],
    [{ op: 'updateNode', name: 'If', set: 5 }, '"set" is an object by path'],
  ])('is refused: %j', (operation, message) => expect(() => edit(operation)).toThrow(message));

  it('may remove a connection to a node that does not exist', () => {
    const broken = toBody(
      { nodes: start().nodes, connections: { In: { main: [[{ node: 'Gone', type: 'main', index: 0 }]] } } },
      catalog,
    );
    expect(applyOperations(broken, [{ op: 'disconnect', from: 'In', to: 'Gone' }], catalog).connections).toEqual({});
  });

  it('adds a node after a named output', () => {
    const added = edit({ op: 'addNode', node: { type: 'noOp', name: 'Last' }, after: 'Loop [done]' });
    expect(texts(added)).toContain('Loop [done] -> Last');
  });
});
