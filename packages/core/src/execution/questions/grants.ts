import { compileArguments } from '../../config/policy/argument-schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import type { DecisionEntry } from '../../journal/entries.ts';
import type { RecordedQuestions } from '../../journal/recording/recording.ts';
import { type CallBinding, isSameServer } from './call-binding.ts';

/** The approvals of one execution that cover further calls of a tool. */
export interface Grants {
  /** Adds a decision about a question of the tool with this binding. */
  add(decision: DecisionEntry, binding: ToolBinding): void;
  /** Returns the number of the decided call that covers another one, and counts it; undefined if none does. */
  use(call: number, binding: ToolBinding, args: unknown): number | undefined;
}

/** The codes of a tool and its server. */
type ToolBinding = Omit<CallBinding, 'binding'>;

interface Grant {
  readonly number: number;
  readonly binding: ToolBinding;
  readonly next: number;
  readonly fits: (args: unknown) => boolean;
  /** The calls that it covers. */
  readonly calls: Set<number>;
}

/** Creates the grants of an execution, with those that its decisions before gave and used. */
export function createGrants({ questions, granted }: RecordedQuestions): Grants {
  const grants: Grant[] = [];
  const add = ({ number, action, covers }: DecisionEntry, binding: ToolBinding) => {
    if (action !== 'approve' || covers === undefined) return;
    grants.push({ number, binding, next: covers.next, fits: testOf(covers.arguments), calls: new Set() });
  };
  for (const question of [...questions.values()].flat()) if (question.decision) add(question.decision, question);
  for (const [call, grant] of granted) grants.find(({ number }) => number === grant)?.calls.add(call);
  return {
    add,
    use(call, binding, args) {
      const found = grants.find(
        (grant) =>
          grant.binding.toolBinding === binding.toolBinding &&
          isSameServer(grant.binding, binding) &&
          (grant.calls.has(call) || grant.calls.size < grant.next) &&
          grant.fits(args),
      );
      found?.calls.add(call);
      return found?.number;
    },
  };
}

/** Returns whether arguments fit a schema. Only a clear yes counts. */
function testOf(schema: unknown): (args: unknown) => boolean {
  if (schema === undefined) return () => true;
  const test = compileArguments(schema, []);
  return (args) => test(args, startEvaluation()) === true;
}
