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
const VALIDATION = shapeOf({
  valid: BOOL,
  publishable: BOOL,
  errors: listOf(FINDING),
  warnings: listOf(FINDING),
  'note?': STRING,
});
const BUILT = shapeOf({
  name: STRING,
  nodes: listOf({ type: 'object' }),
  connections: { type: 'object' },
  settings: { type: 'object' },
});

/** Returns the tools on workflows that need no instance. */
export function draftTools(open: () => NodeCatalog): Record<string, ToolSpec> {
  return {
    buildWorkflow: {
      description:
        'Builds an n8n workflow from nodes ({type, name?, parameters?, credentials?}) and adds ids, versions, positions and webhook ids. ' +
        'Connections are "A -> B", "If [true] -> B" or {from, output?, to, input?}; without them each node leads to the next.',
      parameters: { name: STRING, nodes: listOf({ type: ['object', 'string'] }) },
      required: ['name', 'nodes'],
      options: { connections: listOf({}), settings: { type: 'object' } },
      returns: BUILT,
      isLocal: true,
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
        'Checks an n8n workflow without running it. Errors keep n8n from publishing it (or hang n8n); warnings fail at execution.',
      parameters: { workflow: WORKFLOW },
      subject: 'workflow',
      options: { level: choiceOf('publish', 'lint'), publishedWorkflows: listOf(STRING) },
      returns: VALIDATION,
      isLocal: true,
      run: ({ workflow, level, publishedWorkflows }, { userId, signal }) =>
        validateWorkflow(workflow, open(), {
          level: level as Level | undefined,
          userId,
          signal,
          publishedWorkflows:
            publishedWorkflows === undefined
              ? undefined
              : listArgument(publishedWorkflows, 'publishedWorkflows').map(String),
        }),
    },
    autofixWorkflow: {
      description:
        'Fixes the unambiguous problems of an n8n workflow, and lists the changes and the remaining problems.',
      parameters: { workflow: WORKFLOW },
      subject: 'workflow',
      returns: shapeOf({ workflow: BUILT, fixes: listOf(STRING), remaining: VALIDATION }),
      isLocal: true,
      run: ({ workflow }, caller) => autofixWorkflow(workflow, open(), caller),
    },
  };
}
