import { createRoute } from '@hono/zod-openapi';
import type { SkillDraft } from '@toolwright/core';
import { diffSkills, NAMING_UNKNOWN } from '@toolwright/core/internal';
import * as z from 'zod';
import { languageField } from '../../code-tools/clear-values.ts';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const params = z.object({ name: z.string().max(64) });
const body = z
  .strictObject(
    {
      description: z.string(),
      code: z.string(),
      language: languageField,
      body: z.string().meta({ description: 'Markdown below the front matter.' }),
      license: z.string(),
      compatibility: z.string(),
      metadata: z.record(z.string(), z.string()),
      allowedTools: z.array(z.string()),
      files: z.record(z.string(), z.string()).meta({ description: 'Further files as text, by path.' }),
    },
    NAMING_UNKNOWN,
  )
  .partial()
  .meta({ id: 'SkillDraft' });
const summary = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.int(),
    problem: z.string().optional().meta({ description: 'Why programs cannot use it; absent for a valid skill.' }),
  })
  .meta({ id: 'SkillSummary' });
const file = z.object({ path: z.string(), bytes: z.int(), text: z.string().optional() });

const change = z
  .object({ path: z.string(), change: z.enum(['added', 'removed', 'changed']), diff: z.string().optional() })
  .meta({ id: 'SkillFileChange' });

const routes = {
  list: createRoute({
    method: 'get',
    path: '/skills',
    operationId: 'listSkills',
    summary: 'List the skills of the user, or search them',
    request: { query: userQuery.extend({ query: z.string().max(1_000).optional() }) },
    responses: answers({ 200: { description: 'Skills', schema: z.object({ skills: z.array(summary) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    method: 'get',
    path: '/skills/{name}',
    operationId: 'getSkill',
    summary: 'Get a skill with its files',
    request: { params, query: userQuery.extend({ version: z.coerce.number().int().positive().optional() }) },
    responses: answers({
      200: {
        description: 'The skill',
        schema: summary.extend({ body: z.string(), files: z.array(file) }).meta({ id: 'Skill' }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  diff: createRoute({
    method: 'get',
    path: '/skills/{name}/diff',
    operationId: 'diffSkill',
    summary: 'Compare two versions of a skill',
    request: {
      params,
      query: userQuery.extend({
        from: z.coerce.number().int().positive(),
        to: z.coerce.number().int().positive().optional().meta({ description: 'Default: the skill as it is now.' }),
      }),
    },
    responses: answers({ 200: { description: 'The files that differ', schema: z.object({ files: z.array(change) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  put: createRoute({
    method: 'put',
    path: '/skills/{name}',
    operationId: 'saveSkill',
    summary: 'Save a skill as its next version',
    request: { params, query: userQuery, body: { required: true, content: { [JSON_TYPE]: { schema: body } } } },
    responses: answers({ 200: { description: 'The skill', schema: summary } }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
  remove: createRoute({
    method: 'delete',
    path: '/skills/{name}',
    operationId: 'removeSkill',
    summary: 'Delete a skill with all its versions',
    request: { params, query: userQuery },
    responses: answers({ 204: { description: 'Deleted' } }),
  }),
};

/** Adds `/skills`. */
export function addSkillRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(routes.list, async (context) => {
    const { userId, query } = context.req.valid('query');
    const skills = toolwright.skills(userOf(context.get('principal'), userId));
    return context.json({ skills: [...(await skills.list(query))] }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const { userId, version } = context.req.valid('query');
    const skills = toolwright.skills(userOf(context.get('principal'), userId));
    const skill = await skills.load(context.req.valid('param').name, { version });
    const files = skill.files.map(({ path, bytes, text }) => ({
      path,
      bytes: bytes.length,
      text,
    }));
    return context.json({ ...skill, files }, 200);
  });
  api.openapi(routes.diff, async (context) => {
    const { userId, from, to } = context.req.valid('query');
    const skills = toolwright.skills(userOf(context.get('principal'), userId));
    const { name } = context.req.valid('param');
    const before = await skills.load(name, { version: from });
    const after = await skills.load(name, { version: to });
    return context.json({ files: diffSkills(before, after) }, 200);
  });
  api.openapi(routes.put, async (context) => {
    const skills = toolwright.skills(userOf(context.get('principal'), context.req.valid('query').userId));
    const draft = { ...context.req.valid('json'), name: context.req.valid('param').name } as SkillDraft;
    return context.json(await skills.save(draft), 200);
  });
  api.openapi(routes.remove, async (context) => {
    const skills = toolwright.skills(userOf(context.get('principal'), context.req.valid('query').userId));
    await skills.remove(context.req.valid('param').name);
    return context.body(null, 204);
  });
}
