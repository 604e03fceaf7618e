// A generated catalog for padding, if no real one is available: many servers with tool descriptions like those of vendors.
import { repeat, seededRandom } from './random.mjs';

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive'];
const NOUNS = [
  'invoice',
  'project',
  'page',
  'channel',
  'issue',
  'deployment',
  'report',
  'contact',
  'folder',
  'campaign',
  'asset',
  'shipment',
  'device',
  'metric',
  'schedule',
  'playlist',
];
const PARAMETERS = [
  'id',
  'name',
  'query',
  'limit',
  'cursor',
  'sort',
  'fields',
  'owner',
  'since',
  'format',
  'labels',
  'parent_id',
];

/** Creates `count` tools, about 20 per server. */
export function generateCatalog(count) {
  const random = seededRandom(99);
  return repeat(Math.ceil(count / 20), (number) => ({
    server: `vendor-${number + 1}`,
    description: `Workspace ${number + 1}`,
    tools: repeat(20, (index) => {
      const verb = VERBS[index % VERBS.length];
      const noun = NOUNS[(index * 3 + number) % NOUNS.length];
      const names = [...new Set(repeat(random.whole(1, 7), () => random.pick(PARAMETERS)))];
      return {
        name: `${verb}_${noun}_${index}`,
        description: `${verb[0].toUpperCase()}${verb.slice(1)}s a ${noun} of the workspace. Answers with its ${random.pick(PARAMETERS)} and the time of the last change. Needs the right to ${verb}.`,
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(
            names.map((name) => [name, { type: 'string', description: `The ${name} of the ${noun}` }]),
          ),
          required: names.slice(0, 1),
        },
      };
    }),
  }));
}
