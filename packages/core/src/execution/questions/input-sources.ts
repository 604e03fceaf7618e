import { pathToFileURL } from 'node:url';
import type { SamplingInput } from '@toolwright/connectors';
import type { Redactor } from '@toolwright/pii/internal';
import type { SamplingSettings } from '../../config/sections/sampling.ts';
import { ToolwrightError } from '../../errors.ts';
import type { InputSources, QuestionEnd } from '../../tool-calls/call.ts';

/** A request of a server for an answer of a model, without personal data. */
export interface SamplingRequest {
  /** Name of the server. */
  readonly server: string;
  /** `provider/name`, from `sampling.model`. */
  readonly model: string;
  /** The most tokens of the answer. */
  readonly maxTokens: number;
  /** The other parameters of `sampling/createMessage`: `messages`, `systemPrompt`, … */
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Answers a request of a server with the result of `sampling/createMessage`. Placeholders in it are restored for the server. */
export type OnSampling = (request: SamplingRequest) => Promise<Readonly<Record<string, unknown>>>;

/** Asks the configured model for an answer without tools. Raises `TOOL_FAILED` beyond the requests of one execution. `by`: the name of the server or function that asks. */
export type AskModel = (by: string, params: Readonly<Record<string, unknown>>) => ReturnType<OnSampling>;

/** The policy for answers of models, and the model. */
export interface Sampling {
  readonly settings: SamplingSettings;
  readonly onSampling: OnSampling | undefined;
}

export interface InputSourcesOptions {
  readonly sampling: Sampling | undefined;
  /** Whether the attached client answers requests for a model. */
  readonly canSample: boolean;
  readonly redactor: Redactor;
  /** Returns the folder of the workspace on the host. */
  readonly workspace: () => string;
  readonly signal: AbortSignal;
}

/** Creates the answers of one execution to servers that need no person, and its requests to the model. */
export function createInputSources(options: InputSourcesOptions): InputSources & { readonly askModel?: AskModel } {
  const { sampling, canSample, workspace } = options;
  const askModel = modelRequests(options);
  return {
    roots: () => [{ uri: pathToFileURL(workspace()).href, name: 'workspace' }],
    sample(details) {
      if (askModel) return answerByModel(details, `model ${sampling?.settings.model}`, askModel, options);
      if (canSample) return undefined;
      throw nobodySamples(details.server);
    },
    askModel,
  };
}

/** Returns the function that asks the configured model; undefined without one. */
function modelRequests({ sampling, signal }: InputSourcesOptions): AskModel | undefined {
  const { settings, onSampling } = sampling ?? {};
  const { model, maxRequests = 0, maxTokens: most = 0 } = settings ?? {};
  if (model === undefined || !onSampling) return undefined;
  let requests = 0;
  return async (by, params) => {
    if (++requests > maxRequests) throw tooManyRequests(by, maxRequests);
    const { maxTokens: wanted } = params;
    const maxTokens = typeof wanted === 'number' && wanted > 0 ? Math.min(wanted, most) : most;
    return onSampling({ server: by, model, maxTokens, params, signal });
  };
}

async function answerByModel(
  { server, params }: SamplingInput & { readonly server: string },
  by: string,
  askModel: AskModel,
  { redactor }: InputSourcesOptions,
): Promise<QuestionEnd> {
  const { journalValue } = await redactor.redactResult(params, { server, schema: undefined });
  return { action: 'answer', value: await askModel(server, Object(journalValue)), by };
}

function nobodySamples(server: string): ToolwrightError {
  const message = `${server} asked for an answer of a model, and nobody gives one. Set "sampling": { "model": "provider/name" } in the configuration, or use a client that declares sampling.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}

function tooManyRequests(server: string, most: number): ToolwrightError {
  const message = `${server} asked for more than ${most} answers of a model in one execution. Ask for less.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}
