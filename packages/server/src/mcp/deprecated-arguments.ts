import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type RenamedFields, renameField } from '../renamed-field.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Wraps an input schema: renames deprecated arguments (`session`, and `timeoutMs` outside of `limits`) before validation.
 * Clients see only the current names. To be removed after version 0.1.
 */
export function withDeprecatedArguments(schema: StandardSchemaWithJSON): StandardSchemaWithJSON {
  const standard = schema['~standard'];
  return {
    '~standard': {
      ...standard,
      validate(value, ...rest) {
        if (typeof value !== 'object' || value === null) return standard.validate(value, ...rest);
        const renamed = renameArguments(value as Arguments);
        return 'problem' in renamed
          ? { issues: [{ message: renamed.problem }] }
          : standard.validate(renamed.fields, ...rest);
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
