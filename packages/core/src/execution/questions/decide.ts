import type { FormSchema } from '@toolwright/connectors';
import { listProblems } from '@toolwright/connectors/internal';
import { readSchema } from '../../catalog/schema/read-schema.ts';
import { TYPESCRIPT_WRITER } from '../../catalog/signatures/typescript/writer.ts';
import { findProblems } from '../../catalog/validation/problems.ts';
import { compileArguments, type SchemaProblem } from '../../config/policy/argument-schema.ts';
import { ToolwrightError } from '../../errors.ts';
import type { CoveredCalls, DecisionAction } from '../../journal/entries.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import { lastOfCalls, type RecordedQuestion } from '../../journal/recording/recording.ts';
import { checkLasting, type LastingDecisions, type LastingRequest } from '../lasting-decisions/lasting-decisions.ts';

/** A decision about a question. */
export interface ApprovalAnswer {
  /**
   * For an approval: `approve` or `deny`. For an unknown outcome: `result` (the call took effect, with this `value`), `resend` or
   * `fail`. For a question of a server: `answer` with this `value`, `decline`, or `cancel` (no answer). For an authorization:
   * `authorize` (the login is done) or `fail`.
   */
  readonly action: Exclude<DecisionAction, 'expired'>;
  /**
   * With `approve`: the next calls of the same tool in this execution that need no decision of their own. Their real arguments must
   * fit the JSON Schema. A changed definition of the tool ends it.
   */
  readonly covers?: CoveredCalls | undefined;
  /** The person who decides, for the journal. */
  readonly by?: string | undefined;
  /** The reason, for the program. */
  readonly note?: string | undefined;
  /** With `result`: the result of the call. With `answer`: the answer to the server, by the names of its form. */
  readonly value?: unknown;
}

/** A decision of a person, or of a program of the embedder, about open questions of an execution. */
export interface DecideRequest extends ApprovalAnswer {
  /** The user of the execution. Default: `local`. */
  readonly userId?: string | undefined;
  /** Numbers of calls. Default: all open questions. */
  readonly calls?: readonly number[] | undefined;
  /** With one call: the number of its question. Default: the last one, the only one that can be open. */
  readonly question?: number | undefined;
  /**
   * With `approve`: whether the approval lasts, for later executions of the user too. It ends when the definition of the tool changes. Rules
   * that deny win over it. Only for a decision of a person, who is named in `by`.
   */
  readonly always?: LastingRequest | undefined;
  /**
   * The bindings of the questions that the person saw. When a question has changed since, nothing is decided. Default: the decision is
   * about the questions as they are now.
   */
  readonly bindings?: readonly string[] | undefined;
}

/** A question, and its decision if there is one. */
type Question = Omit<RecordedQuestion, 'mac' | 'at' | 'isUsed'>;

/** The most calls that one approval covers. */
const MAX_COVERED_CALLS = 10_000;

/** The actions that answer each kind of question. */
const ACTIONS: Readonly<Record<Question['kind'], readonly DecisionAction[]>> = {
  approval: ['approve', 'deny'],
  outcome: ['result', 'resend', 'fail'],
  input: ['answer', 'decline', 'cancel'],
  authorization: ['authorize', 'fail'],
};

/**
 * Stores a decision about questions of one execution. Returns the numbers of the decided calls. Raises `ALREADY_DECIDED` for a
 * question that has a decision. Raises `QUESTION_CHANGED` for one that is not as it was shown. Raises `CONFIG_INVALID` for a call
 * without a question, and for an action that does not answer it.
 */
export async function decide(
  executionId: string,
  questions: readonly Question[],
  request: DecideRequest,
  decisions: Decisions,
): Promise<readonly number[]> {
  const { action, calls, question: nth, by, note, value, covers, always, bindings } = request;
  checkCovers(request);
  checkAlways(request);
  const open = await openQuestionsOf(executionId, lastOfCalls(questions), decisions);
  const asked = calls ? calls.map((call) => questionOf({ call, question: nth }, questions)) : open;
  if (asked.length === 0) {
    throw new ToolwrightError('ALREADY_DECIDED', `Execution ${executionId} has no open question.`);
  }
  for (const { number, kind } of asked) {
    if (ACTIONS[kind].includes(action)) continue;
    const fitting = ACTIONS[kind].join(', ');
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `The question about call ${number} is about its ${kind}: use ${fitting}.`,
    );
  }
  const unscoped = always?.arguments === 'targets' && asked.find(({ scopeBinding }) => scopeBinding === undefined);
  if (unscoped) {
    const message = `Call ${unscoped.number} of ${unscoped.tool} has no targets that later calls could share. Use "exact", "any" or a JSON Schema. Nothing was decided.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const given = action === 'answer' ? answerTo(asked, value) : value;
  const find = async ({ number, question, decision }: Question) =>
    (await decisions.find(executionId, number, question)) ?? decision;
  const decided = asked.find((question) => !open.includes(question));
  if (decided) throw alreadyDecided(decided, await find(decided));
  const changed = bindings && asked.find(({ binding }) => !bindings.includes(binding));
  if (changed) {
    const message = `Call ${changed.number} of ${changed.tool} is not the call that was shown: its arguments or the tool have changed. Nothing was decided: show it again.`;
    throw new ToolwrightError('QUESTION_CHANGED', message);
  }
  const at = new Date().toISOString();
  const more = {
    by,
    note,
    value: given,
    covers,
  };
  for (const asking of asked) {
    const { number, question, binding } = asking;
    const own = { executionId, number, question, binding };
    if (!(await decisions.add({ ...own, action, at, ...more }))) throw alreadyDecided(asking, await find(asking));
  }
  return asked.map(({ number }) => number);
}

/** Returns the questions without a decision that holds for them. */
export async function openQuestionsOf(
  executionId: string,
  questions: readonly Question[],
  decisions: Decisions,
): Promise<readonly Question[]> {
  const open: Question[] = [];
  for (const question of questions) {
    const { number, question: nth, binding, decision } = question;
    if (!decision && (await decisions.find(executionId, number, nth))?.binding !== binding) open.push(question);
  }
  return open;
}

/** Returns the complete answer to a question of a server. Raises `CONFIG_INVALID`. */
function answerTo([question, ...others]: readonly Question[], value: unknown): unknown {
  if (others.length === 0) return completeAnswer(question?.realDetails, value);
  const message = `An answer is for one question, and ${others.length + 1} are open. Name its call.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function checkCovers({ action, covers }: DecideRequest): void {
  if (covers === undefined) return;
  if (action !== 'approve') throw new ToolwrightError('CONFIG_INVALID', 'Only an approval covers further calls.');
  const { next, arguments: schema = true } = covers;
  if (!Number.isInteger(next) || next < 1 || next > MAX_COVERED_CALLS) {
    const message = `covers.next must be a whole number from 1 to ${MAX_COVERED_CALLS}, not ${next}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const problems: SchemaProblem[] = [];
  compileArguments(schema, problems);
  const [problem] = problems;
  if (!problem) return;
  const path = ['covers', 'arguments', ...problem.path].join('.');
  throw new ToolwrightError('CONFIG_INVALID', `${path}: ${problem.text}.`);
}

function checkAlways({ action, always, by }: DecideRequest): void {
  if (always === undefined) return;
  if (action !== 'approve') throw new ToolwrightError('CONFIG_INVALID', 'Only an approval can last.');
  if (by === undefined) {
    throw new ToolwrightError('CONFIG_INVALID', 'A lasting approval names the person: set by.');
  }
  checkLasting(always);
}

/** Stores the approval of questions for later executions, if the person asked for it. */
export async function keepDecision(
  approved: readonly Question[],
  {
    request,
    userId,
    lasting,
  }: { readonly request: DecideRequest; readonly userId: string; readonly lasting: LastingDecisions },
): Promise<void> {
  const { always, by } = request;
  if (always === undefined || by === undefined) return;
  const kept = new Set<string>();
  for (const question of approved) {
    const { tool, binding, toolBinding, scopeBinding } = question;
    const scope = always.arguments;
    const code = scope === 'exact' || scope === 'targets' ? `${scopeBinding} ${binding}` : toolBinding;
    if (kept.has(code)) continue;
    kept.add(code);
    await lasting.add(userId, { tool, by, binding: question }, always);
  }
}

function questionOf(
  { call, question }: { readonly call: number; readonly question: number | undefined },
  questions: readonly Question[],
): Question {
  const ofCall = questions.filter(({ number }) => number === call);
  const found = question === undefined ? ofCall.at(-1) : ofCall.find((asked) => questionNumber(asked) === question);
  if (found) return found;
  const isCall = question !== undefined && ofCall.length > 0;
  const numbers = isCall ? ofCall.map(questionNumber) : new Set(questions.map(({ number }) => number));
  const there = [...numbers].join(', ') || 'none';
  const message = isCall
    ? `Call ${call} has no question ${question}. Its questions: ${there}.`
    : `There is no question about call ${call}. Calls with questions: ${there}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function alreadyDecided(
  { number, tool }: Question,
  earlier: { readonly action: string; readonly by?: string } | undefined,
): ToolwrightError {
  const by = earlier?.by === undefined ? '' : ` by ${earlier.by}`;
  const message = `Call ${number} of ${tool} has a decision already: ${earlier?.action ?? 'unknown'}${by}. The first decision holds.`;
  return new ToolwrightError('ALREADY_DECIDED', message);
}

/** Maximum characters of an answer as JSON. */
const MAX_ANSWER_CHARACTERS = 100_000;
/** Formats of texts, which a schema may require. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/,
  uri: /^[a-z][a-z\d+.-]*:/i,
};

/**
 * Returns the answer to a question of a server as the server gets it: fields of a form that are left out have their defaults. Raises
 * `CONFIG_INVALID`, without a value of the answer, for one that does not fit the form.
 */
export function completeAnswer(details: unknown, value: unknown): unknown {
  const { mode, requestedSchema } = Object(details);
  if (mode === 'url') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (mode === 'roots'))
    throw invalid('an answer is an object with the fields of the form');
  if (JSON.stringify(value).length > MAX_ANSWER_CHARACTERS)
    throw invalid(`an answer has at most ${MAX_ANSWER_CHARACTERS} characters`);
  if (mode !== 'form') return value;
  return completeForm(requestedSchema as FormSchema, value as Readonly<Record<string, unknown>>);
}

function completeForm(schema: FormSchema, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties } = schema;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw invalid(`the form has no such field; its fields are ${Object.keys(properties).join(', ')}`);
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const given = value[name] ?? field.default;
    if (given !== undefined && given !== null) content[name] = given;
  }
  const problems = findProblems(readSchema({ ...schema }), content, TYPESCRIPT_WRITER.types, { hidesValues: true });
  if (problems && problems.length > 0) throw invalid(listProblems(problems));
  for (const [name, { format }] of Object.entries(properties)) {
    const text = content[name];
    const pattern = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (pattern && typeof text === 'string' && !pattern.test(text))
      throw invalid(`${name}: expected the format ${format}`);
  }
  return content;
}

function invalid(problem: string): ToolwrightError {
  return new ToolwrightError(
    'CONFIG_INVALID',
    `The answer does not fit the question: ${problem}. Nothing was decided.`,
  );
}
