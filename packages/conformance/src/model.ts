import { ANSWER_CASES } from './model/answers.ts';
import type { ModelCase, ModelFixture } from './model/case.ts';
import { FAILURE_CASES } from './model/failures.ts';

export type { ModelCase, ModelFixture, ProviderReply } from './model/case.ts';

/** The rules of the `Model` port. The name of a case is its rule. */
export const modelCases: readonly ModelCase[] = [...ANSWER_CASES, ...FAILURE_CASES];

/** Returns the cases whose replies the provider of a fixture can give. */
export function modelCasesFor({
  cannot = [],
}: {
  readonly cannot?: ModelFixture['cannot'];
} = {}): readonly ModelCase[] {
  return modelCases.filter(({ replies }) => !replies.some(({ kind }) => cannot.includes(kind)));
}

/** Runs one case on a fresh model. Raises an `AssertionError` that starts with the rule when the model breaks it. */
export async function runModelCase(fixture: ModelFixture, testCase: ModelCase): Promise<void> {
  try {
    await testCase.run(await fixture.open(testCase.replies));
  } catch (error) {
    if (error instanceof Error && !error.message.startsWith(testCase.name)) {
      error.message = `${testCase.name}: ${error.message}`;
    }
    throw error;
  }
}
