import { isObject } from '../json.ts';
import { BOOLEAN, listArgument, listOf, NUMBER, STRING, shapeOf, type ToolSpec } from '../tool.ts';
import { listCredentials } from './credentials.ts';
import { type Instance, segment } from './instance.ts';
import { ID, MAX_PAGE, pageOf } from './page.ts';

/** Returns the tools for tags, credentials and for the state of the instance. */
export function instanceTools(instance: () => Instance): Record<string, ToolSpec> {
  return {
    listTags: {
      description: 'Lists the tags of the n8n instance.',
      parameters: {},
      returns: listOf(shapeOf({ id: STRING, name: STRING })),
      async run(_args, { signal }) {
        const answer = await instance().client.send({
          path: '/tags',
          query: { limit: MAX_PAGE },
          what: 'tags',
          signal,
        });
        return pageOf(answer).data.map(({ id, name }) => ({ id, name }));
      },
    },
    setTags: {
      description: 'Sets the tags of a workflow by name, replacing all others. Creates missing tags.',
      parameters: { id: ID, tags: listOf(STRING) },
      required: ['id', 'tags'],
      returns: shapeOf({ id: STRING, tags: listOf(STRING) }),
      effect: 'write',
      run: ({ id, tags }) => setTags(instance(), String(id), listArgument(tags, 'tags').map(String)),
    },
    listCredentials: {
      description:
        'Lists the credentials of the n8n instance by id and name, for the credentials of nodes. Never returns values.',
      parameters: {},
      options: { type: STRING, limit: NUMBER, cursor: STRING },
      returns: shapeOf({
        credentials: listOf(shapeOf({ id: STRING, name: STRING, type: STRING })),
        'nextCursor?': STRING,
      }),
      run: (args, { signal }) => listCredentials(instance(), args, signal),
    },
    health: {
      description: 'Checks that the n8n instance answers and accepts the key, and lists the allowed actions.',
      parameters: {},
      returns: shapeOf({ ok: BOOLEAN, url: STRING, catalog: STRING, workflows: STRING, allowed: listOf(STRING) }),
      run: (_args, { signal }) => checkHealth(instance(), signal),
    },
  };
}

async function setTags(
  { client, policyCheck }: Instance,
  id: string,
  names: readonly string[],
): Promise<{ id: string; tags: string[] }> {
  policyCheck.write('setTags');
  const known = pageOf(await client.send({ path: '/tags', query: { limit: MAX_PAGE }, what: 'tags' })).data;
  const ids: { id: string }[] = [];
  for (const name of new Set(names)) {
    const there = known.find((tag) => tag.name === name);
    const tag =
      there ?? (await client.send({ method: 'POST', path: '/tags', body: { name }, what: `the tag ${name}` }));
    ids.push({ id: String(isObject(tag) ? tag.id : '') });
  }
  const set = await client.send({
    method: 'PUT',
    path: `/workflows/${segment(id)}/tags`,
    body: ids,
    what: `the tags of workflow ${id}`,
  });
  return { id, tags: (Array.isArray(set) ? set : []).filter(isObject).map(({ name }) => String(name)) };
}

async function checkHealth(
  { client, catalog, policyCheck }: Instance,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.send({ path: '/workflows', query: { limit: 1 }, what: 'workflows', signal });
  const { data, nextCursor } = pageOf(answer);
  const some = data.length === 0 ? 'none' : nextCursor === undefined ? '1' : 'several';
  return { ok: true, url: client.url, catalog: catalog.version, workflows: some, allowed: policyCheck.allowed };
}
