import { type JsonSchema, resultSchema, type Tool } from '@toolwright/connectors';
import { readSchema } from '../schema/read-schema.ts';
import { sampleOf } from '../schema/sample.ts';
import type { Shape } from '../schema/shape.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import { findProblems } from './problems.ts';

/**
 * Returns a result that a tool could return, by its declared or observed type: the same one each time. Without a type, and for a type
 * without a known value, it is an empty object.
 */
export function inventResult(tool: Tool): unknown {
  const result = results.has(tool) ? results.get(tool) : inventFor(resultSchema(tool));
  results.set(tool, result);
  return result;
}

const results = new WeakMap<Tool, unknown>();

function inventFor(schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return {};
  const shape = readSchema(schema);
  for (const size of ['full', 'minimal'] as const) {
    const value = sampleOf(shape, size, fits);
    if (value !== undefined && fits(shape, value)) return value;
  }
  return {};
}

function fits(shape: Shape, value: unknown): boolean {
  return findProblems(shape, value, TYPESCRIPT_WRITER.types)?.length === 0;
}
