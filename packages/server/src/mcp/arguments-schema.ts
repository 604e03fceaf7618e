import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type RenamedFields, renameField } from '../renamed-field.ts';
import type { Definition } from './definition.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Returns the schema of a tool's arguments: clients list its input schema, and calls may have the other accepted arguments too.
 * Ignores arguments that are `null`, which some models send for absent ones. Renames deprecated arguments (`session`, and
 * `timeoutMs` outside of `limits`) before validation, to be removed after version 0.1.
 */
export function argumentsSchema({ inputSchema, accepts = {} }: Definition): StandardSchemaWithJSON {
  const properties = { ...inputSchema.properties, ...accepts.properties };
  const required = accepts.required ?? inputSchema.required ?? [];
  // The SDK's type of JSON Schema has no readonly arrays.
  const listed = structuredClone(inputSchema) as never;
  const { '~standard': checked } = fromJsonSchema(structuredClone({ type: 'object', properties, required }) as never);
  return {
    '~standard': {
      ...checked,
      jsonSchema: { input: () => listed, output: () => listed },
      validate(value, ...rest) {
        if (typeof value !== 'object' || value === null) return checked.validate(value, ...rest);
        const given = Object.entries(value).filter(([, argument]) => argument !== null);
        const renamed = renameArguments(Object.fromEntries(given));
        return 'problem' in renamed
          ? { issues: [{ message: renamed.problem }] }
          : checked.validate(renamed.fields, ...rest);
      },
    },
  };
}

function renameArguments(args: Arguments): RenamedFields<Arguments> {
  const renamed = renameField(args, 'session', 'sessionId');
  if ('problem' in renamed || !Object.hasOwn(renamed.fields, 'timeoutMs')) return renamed;
  const { timeoutMs, ...rest } = renamed.fields;
  const { limits = {} } = rest;
  if (typeof limits !== 'object' || limits === null) return { fields: rest };
  const flat = renameField({ ...limits, 'outer.timeoutMs': timeoutMs }, 'outer.timeoutMs', 'timeoutMs');
  if ('problem' in flat) {
    return {
      problem: '"limits.timeoutMs" and "timeoutMs" differ. Send "limits.timeoutMs" alone: "timeoutMs" is deprecated.',
    };
  }
  return { fields: { ...rest, limits: flat.fields } };
}
