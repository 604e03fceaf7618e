import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type { Operation } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { AskModel } from '../questions/input-sources.ts';
import { extractByModel } from './by-model.ts';
import { extractByRules, type Unclear } from './rules.ts';
import { readShape } from './shape.ts';

export interface ExtractOptions {
  readonly redactor: Redactor;
  readonly values: ProgramValues;
  /** Asks the model of the configuration. Absent without one. */
  readonly ask?: AskModel | undefined;
  /** Receives the extracted data before the program does. */
  readonly onExtracted?: ((value: unknown) => void) | undefined;
}

const MAX_CHARACTERS = 200_000;
/** Places that an error names. */
const MAX_NAMED = 5;

/**
 * Returns the operation that reads data of a declared shape from a text, by rules. Where they do not find one value for each place, a model
 * without tools reads it. Raises `INVALID_ARGUMENTS` for a wrong schema or an unclear text, `MODEL_FAILED` and `MODEL_UNAVAILABLE`. No error
 * has a part of the text.
 */
export function extractOperation({ redactor, values, ask, onExtracted }: ExtractOptions): Operation {
  return async (...given) => {
    const [text, schema] = (await values.concealValue(given)) as [string, unknown];
    if (text.length > MAX_CHARACTERS) {
      const message = `extract takes a text of at most ${MAX_CHARACTERS} characters, got ${text.length}. Pass a part of it.`;
      throw new ToolwrightError('INVALID_ARGUMENTS', message);
    }
    const shape = readShape(schema);
    const { value: read, unclear } = extractByRules(text, shape);
    const found = read ?? (shape.kind === 'object' ? {} : undefined);
    const isFound = found !== undefined && shape.fits(found);
    let value: unknown = found;
    if (ask && !(isFound && unclear.length === 0)) {
      const [shown, declared] = (await redactor.redact([text, schema])) as [string, unknown];
      value = await extractByModel(shown, declared, shape, ask);
    } else if (!isFound || unclear.some(isLoud)) throw unclearText(unclear.filter(isLoud));
    onExtracted?.(value);
    return JSON.parse(await values.reveal(JSON.stringify(value), true));
  };
}

function isLoud({ problem, isOptional }: Unclear): boolean {
  return problem !== 'absent' || isOptional !== true;
}

const WORDS = {
  absent: 'has no value',
  several: 'has several values',
  'two readings': 'has a value with two readings',
} as const;

function unclearText(unclear: readonly Unclear[]): ToolwrightError {
  const places = unclear
    .slice(0, MAX_NAMED)
    .map(({ name, problem }) => `${name === '' ? 'the text' : `"${name.slice(0, 100)}"`} ${WORDS[problem]}`);
  const problem = places.length === 0 ? 'the text has data outside of the bounds of the schema' : places.join('; ');
  const fix =
    'Name properties as the text labels them, pass the part of the text with the value, or set "sampling": { "model": "provider/name" } in the configuration.';
  return new ToolwrightError('INVALID_ARGUMENTS', `extract: ${problem}. ${fix}`);
}
