import type { NodeCatalog } from '../catalogs/catalog.ts';
import { choiceOf, listArgument, listOf, STRING, shapeOf, type ToolSpec, type ValueSchema } from '../tool.ts';
import type { Level } from '../validation/finding.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { autofixWorkflow } from './autofix.ts';
import { buildWorkflow } from './build.ts';

const BOOL: ValueSchema = { type: 'boolean' };
/** A workflow, or its JSON text. */
export const WORKFLOW: ValueSchema = {
  type: ['object', 'string'],
  description: '{name, nodes, connections, settings?}',
};

const FINDING = shapeOf({ code: STRING, 'node?': STRING, 'path?': STRING, message: STRING, fix: STRING });
const VALIDATION = shapeOf({ valid: BOOL, publishable: BOOL, errors: listOf(FINDING), warnings: listOf(FINDING) });
const BUILT = shapeOf({
  name: STRING,
  nodes: listOf({ type: 'object' }),
  connections: { type: 'object' },
  settings: { type: 'object' },
});

/** Functions on workflows that need no instance. */
export function draftTools(open: () => NodeCatalog): Record<string, ToolSpec> {
  return {
    buildWorkflow: {
      description:
        'Builds an n8n workflow of nodes ({type, name?, parameters?, credentials?}); ids, versions, positions and webhook ids are filled in. ' +
        'Connections are "A -> B" or {from, to, output?, type?}; without them each node leads to the next.',
      takes: { name: STRING, nodes: listOf({ type: ['object', 'string'] }) },
      required: ['name', 'nodes'],
      options: { connections: listOf({}), settings: { type: 'object' } },
      gives: BUILT,
      run: ({ name, nodes, connections, settings }) =>
        buildWorkflow(
          {
            name,
            nodes: listArgument(nodes, 'nodes'),
            connections: connections === undefined ? undefined : listArgument(connections, 'connections'),
            settings,
          },
          open(),
        ),
    },
    validateWorkflow: {
      description:
        'Checks an n8n workflow without running it: errors are what n8n refuses to publish (and cycles that hang it), warnings what fails later.',
      takes: { workflow: WORKFLOW },
      subject: 'workflow',
      options: { level: choiceOf('publish', 'lint'), publishedWorkflows: listOf(STRING) },
      gives: VALIDATION,
      run: ({ workflow, level, publishedWorkflows }) =>
        validateWorkflow(workflow, open(), {
          level: level as Level | undefined,
          publishedWorkflows:
            publishedWorkflows === undefined
              ? undefined
              : listArgument(publishedWorkflows, 'publishedWorkflows').map(String),
        }),
    },
    autofixWorkflow: {
      description:
        'Puts right what has only one right answer in an n8n workflow, and says what it changed and what is left.',
      takes: { workflow: WORKFLOW },
      subject: 'workflow',
      gives: shapeOf({ workflow: BUILT, fixes: listOf(STRING), remaining: VALIDATION }),
      run: ({ workflow }) => autofixWorkflow(workflow, open()),
    },
  };
}
