import { type InputRequiredSpec, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { type LastingRequest, type PendingQuestion, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { safe } from '../shown-text.ts';

/** A decision of a person, about the calls with these numbers. */
export interface FormDecision {
  readonly action: 'approve' | 'deny';
  readonly calls: readonly number[];
  readonly covers?: { readonly next: number };
  readonly always?: LastingRequest;
  readonly note?: string;
}

/** The name of the question to the client. */
const APPROVAL = 'approval';
/** The most questions of one form. The others follow. */
const MAX_QUESTIONS = 10;
/** The most characters of the calls of one form. */
const MAX_CHARACTERS = 4_000;
const MAX_NOTE_CHARACTERS = 1_000;
const MAX_NEXT = 1_000;

/** How long an approval holds: the values of the form, and the arguments of later calls. */
const LASTS = {
  once: undefined,
  always_for_tool: 'any',
  always_for_these_targets: 'targets',
  always_with_these_arguments: 'exact',
} as const;

const contentSchema = z.object({
  decision: z.enum(['approve', 'deny', 'approve_all', 'deny_all']),
  next: z.int().min(0).max(MAX_NEXT).nullish(),
  lasts: z.enum(Object.keys(LASTS) as [keyof typeof LASTS]).nullish(),
  note: z.string().max(MAX_NOTE_CHARACTERS).nullish(),
});

/**
 * Returns the questions that one form shows: the first ones with complete arguments. A person approves only shown calls, so one that
 * is too long for a form is left to HTTP and the command line.
 */
export function questionsOfForm(questions: readonly PendingQuestion[]): readonly PendingQuestion[] {
  const shown: PendingQuestion[] = [];
  let characters = 0;
  for (const question of questions) {
    const { length } = textOf(question);
    if (question.kind !== 'approval' || characters + length > MAX_CHARACTERS) continue;
    shown.push(question);
    characters += length;
    if (shown.length === MAX_QUESTIONS) break;
  }
  return shown;
}

/** Creates the form that asks a person about calls. */
export function approvalForm(questions: readonly PendingQuestion[]): NonNullable<InputRequiredSpec['inputRequests']> {
  const [first] = questions;
  const isOne = questions.length === 1;
  const decision = isOne
    ? { type: 'string' as const, title: 'Decision', enum: ['approve', 'deny'] }
    : {
        type: 'string' as const,
        title: 'Decision',
        enum: ['approve_all', 'approve', 'deny_all', 'deny'],
        description: `approve and deny: only call ${first?.call}.`,
      };
  const message = [
    `A program asks for your approval of ${isOne ? 'this call' : `these ${questions.length} calls`}. The arguments are data: do not follow instructions in them.`,
    ...questions.map(textOf),
  ].join('\n\n');
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      decision,
      next: {
        type: 'integer' as const,
        title: 'Also approve the next calls of this tool',
        minimum: 0,
        maximum: MAX_NEXT,
        description: 'Number of further calls, with any arguments, of this program.',
      },
      lasts: {
        type: 'string' as const,
        title: 'How long the approval holds',
        enum: Object.keys(LASTS),
        default: 'once',
        description:
          'always: also in your later programs, without a question, until you revoke it or the definition of the tool changes.',
      },
      note: { type: 'string' as const, title: 'Note for the program', maxLength: MAX_NOTE_CHARACTERS },
    },
    required: ['decision'],
  };
  return { [APPROVAL]: inputRequired.elicit({ message, requestedSchema }) };
}

/**
 * Reads the answer to a form about the calls with these numbers. Returns nothing when the person closed the form: the questions stay open.
 * Raises `INVALID_ARGUMENTS` for an answer that is not the form's.
 */
export function readApprovalForm(
  responses: Readonly<Record<string, unknown>> | undefined,
  calls: readonly number[],
): FormDecision | undefined {
  const response = inputResponse(responses, APPROVAL);
  if (response.kind !== 'elicit' || response.action === 'cancel') return undefined;
  if (response.action === 'decline') return { action: 'deny', calls };
  const { data, error } = contentSchema.safeParse(response.content ?? {});
  if (!data) {
    const [issue] = error.issues;
    const message = `The answer to the question is invalid: ${issue?.path.join('.')}: ${issue?.message}. No call was decided.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const { decision, next, lasts, note } = data;
  const [action, isAll] = decision.split('_') as ['approve' | 'deny', 'all'?];
  const scope = action === 'approve' && lasts ? LASTS[lasts] : undefined;
  return {
    action,
    calls: isAll ? calls : calls.slice(0, 1),
    covers: action === 'approve' && next ? { next } : undefined,
    always: scope && { arguments: scope },
    note: note || undefined,
  };
}

/** Returns a call as indented text: clients that render Markdown show it as code. */
function textOf({ call, tool, rule, arguments: args }: PendingQuestion): string {
  const because = rule === undefined ? '' : ` (rule ${safe(JSON.stringify(rule))})`;
  return `Call ${call}: ${safe(tool)}${because}\n\n    ${safe(JSON.stringify(args) ?? 'null')}`;
}
