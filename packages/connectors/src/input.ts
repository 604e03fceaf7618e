import { ToolwrightError } from './errors.ts';

/** A form of a server. The schema is a flat object of strings, numbers, booleans and choices (specification: Elicitation). */
export interface FormInput {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: FormSchema;
}

/** The schema of a form. */
export interface FormSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[] | undefined;
}

/** The JSON Schema of one field. Lists have `items` with the choices. */
export type FormField = Readonly<Record<string, unknown>> & {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
};

/** A page that a person opens. Only the server sees their entries there. Toolwright never fetches it. */
export interface UrlInput {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

/** A request for an answer of a model, as `sampling/createMessage` has it. */
export interface SamplingInput {
  readonly mode: 'sampling';
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request for the folders that the server may use. */
export interface RootsInput {
  readonly mode: 'roots';
}

/** A question of a server during a call, with the name of the server. */
export type InputDetails = (FormInput | UrlInput | SamplingInput | RootsInput) & { readonly server: string };

/** A question of a server during a call. */
export interface InputRequest {
  readonly details: InputDetails;
  /** Whether the server waits for the answer while the call is under way. Otherwise it has ended the call, which is sent again. */
  readonly isLive: boolean;
  /** Resolves when the server needs no answer any more: it has withdrawn the question, or reports that the person has done it. */
  readonly ended: Promise<'cancel' | 'answer'>;
  /** Ends the call with an error, while it is under way. */
  readonly fail?: (error: Error) => void;
}

/** The answer to a question of a server. */
export interface InputAnswer {
  /** `decline`: the person refuses. `cancel`: there is no answer. */
  readonly action: 'answer' | 'decline' | 'cancel';
  /** With `answer`: the values of a form by name, the result of `sampling/createMessage`, or the list of the roots. */
  readonly value?: unknown;
}

/** A wait for the task of a server, in which nothing of the call is under way here. */
export interface TaskWait {
  /** When to look at the task again without this connector, in milliseconds since the epoch. */
  readonly untilMs: number;
  /** Leaves the task to somebody who sends the call again with its last state: aborting the call does not cancel it then. */
  readonly release: () => Promise<void>;
}

/**
 * Returns the reason of a signal that ends a call which goes on later: after a suspension, or in another process after a lost lease. Its
 * task is not cancelled.
 */
export function callLeft(): ToolwrightError {
  return new ToolwrightError('CANCELLED', 'The execution goes on later.', { details: { isLeft: true } });
}

/** Returns whether the reason of a signal is that of {@link callLeft}. */
export function isCallLeft(reason: unknown): boolean {
  return reason instanceof ToolwrightError && reason.details.isLeft === true;
}

/** Options of a call whose server may ask. */
export interface InputOptions {
  /** Answers a question of the server. Without it, the server receives no answers. */
  readonly onInput?: (request: InputRequest) => Promise<InputAnswer>;
  /**
   * Called when the server has ended the call for lack of answers, before they are asked. Also called when the call has become a task.
   * `state` is JSON data.
   */
  readonly onPaused?: (state: unknown) => void;
  /** Awaited before the call is sent again with the answers. */
  readonly beforeResend?: () => Promise<void>;
  /** The state of a paused call: instead of a first time, it is sent again with the answers. Its task is polled. */
  readonly paused?: unknown;
  /** Called at the start of each wait for a task of the server. Returns a function that ends the wait. */
  readonly onTaskWait?: (wait: TaskWait) => () => void;
}
