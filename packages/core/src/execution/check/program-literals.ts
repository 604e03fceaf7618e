import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type { Execution } from '../execution.ts';
import type { ModuleLoader } from '../modules/loader.ts';
import { literalsOf } from './literals.ts';

/** Opens the values of a program, with the literals of its source, and the values that it received before it was continued. */
export async function openProgramValues(
  redactor: Pick<Redactor, 'programValues'>,
  { source, earlier, settings }: Pick<Execution, 'source' | 'earlier' | 'settings'>,
): Promise<ProgramValues> {
  const values = redactor.programValues();
  values.addLiterals(await literalsOf(source));
  const { calls, replies } = earlier?.recording ?? { calls: new Map(), replies: settings.fork?.replies ?? [] };
  // The answers of calls have placeholders in place of the values that the replies show.
  for (const { answer } of calls.values()) if (answer?.ok) await values.reveal(answer.text);
  for (const { payload } of replies) await values.reveal(payload, true);
  return values;
}

/** Returns a loader that adds the literals of each module to those of the program. */
export function withLiterals(load: ModuleLoader, values: ProgramValues): ModuleLoader {
  return async (path) => {
    const source = await load(path);
    values.addLiterals(await literalsOf(source));
    return source;
  };
}
