// Finds gold calls that the schemas of their tools do not allow. Some benchmarks make such calls, and their functions take them.
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Returns a function that explains the first such call of a log, and returns undefined if there is none. */
export function openSchemas(definitions) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const schemas = new Map(definitions.map(({ name, inputSchema }) => [name, inputSchema]));
  const problemOf = ({ name, arguments: args }) => {
    const schema = schemas.get(name);
    if (schema === undefined) return 'no such tool';
    const extra = Object.keys(args).find((key) => !Object.hasOwn(schema.properties ?? {}, key));
    if (extra !== undefined) return `its tool has no argument "${extra}"`;
    return ajv.validate(schema, args) ? undefined : ajv.errorsText();
  };
  return (log) => {
    const [first] = log.flatMap((call) => {
      const problem = problemOf(call);
      return problem === undefined ? [] : [`${call.name}: ${problem}`];
    });
    return first;
  };
}
