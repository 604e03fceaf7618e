import { LANGUAGE_NAMES, type LanguageName, type LogLine } from '@toolwright/sandbox';
import * as z from 'zod';
import { NAMING_UNKNOWN } from '../config/problems.ts';
import { changedLimitsSchema } from '../config/sections/limits.ts';
import type { OnApproval } from './questions/on-approval.ts';

/** Maximum characters of a user's id. */
const MAX_USER_CHARACTERS = 256;
/** Characters of the request of a user. */
const MAX_REQUEST_CHARACTERS = 200_000;
/** Characters of the name of a sandbox. */
const MAX_SANDBOX_CHARACTERS = 64;

/** The fields of {@link ExecuteRequest}. */
type ExecuteRequestShape = {
  /** The program: TypeScript, JavaScript or Python. */
  readonly code: z.ZodString;
  /** Language of the program. `typescript` accepts JavaScript too. Default: `python` for a text that can only be Python, else `typescript`. */
  readonly language: z.ZodOptional<z.ZodEnum<{ [Name in LanguageName]: Name }>>;
  /** Id of the session to continue. Default: none, so no files remain. An unknown id raises `UNKNOWN_SESSION`. */
  readonly sessionId: z.ZodOptional<z.ZodString>;
  /**
   * Creates the session if it does not exist. Default: false. Only for ids that the embedding program chose, never for an
   * id from outside.
   */
  readonly createSession: z.ZodOptional<z.ZodBoolean>;
  /** Owner of the session and the skills. Default: `local`. */
  readonly userId: z.ZodOptional<z.ZodString>;
  /** Limits of this execution that differ from those of the Toolwright, for instance `timeoutMs`. */
  readonly limits: z.ZodOptional<typeof changedLimitsSchema>;
  /** Whether the program is checked before it runs. Default: the setting `check`, which is true. */
  readonly check: z.ZodOptional<z.ZodBoolean>;
  /**
   * Runs the program without effects: read-only tools are called, all others get an invented result, and changes of files and skills
   * are discarded. The result has the list of the calls. Default: false.
   */
  readonly dryRun: z.ZodOptional<z.ZodBoolean>;
  /**
   * Id of an approved dry run of this program. Its calls need no further approval, and any other call stops the execution. Default:
   * none.
   */
  readonly approved: z.ZodOptional<z.ZodString>;
  /**
   * The request of the user in the user's own words, for a policy that depends on [origins](origins.md). The client sets it, never the
   * model. Default: unknown.
   */
  readonly request: z.ZodOptional<z.ZodString>;
  /**
   * Whether the author of the program may have seen public data outside of the session, such as pages that the client itself fetched. Over
   * MCP, it always may. Default: false.
   */
  readonly hasSeenPublicData: z.ZodOptional<z.ZodBoolean>;
  /** Name of the sandbox to run in; never replaced by another. Default: the sandbox of the Toolwright. */
  readonly sandbox: z.ZodOptional<z.ZodString>;
};

/** The schema of a request to execute a program, for the library, HTTP, MCP, the agent and the command line. */
export const executeRequestSchema: z.ZodObject<ExecuteRequestShape, z.core.$strict> = z.strictObject(
  {
    code: z.string().meta({ description: 'The program.' }),
    language: z.enum(LANGUAGE_NAMES).optional(),
    // A malformed id is an unknown session: the error must not reveal which of the two it is.
    sessionId: z.string().optional().meta({ description: 'Session to continue; its files stay.' }),
    createSession: z.boolean().optional(),
    userId: z.string().min(1).max(MAX_USER_CHARACTERS).optional(),
    limits: changedLimitsSchema.optional(),
    check: z.boolean().optional().meta({ description: 'Whether the program is checked before it runs.' }),
    dryRun: z.boolean().optional().meta({
      description: 'Whether calls with effects are listed and answered with invented results, instead of sent.',
    }),
    request: z
      .string()
      .max(MAX_REQUEST_CHARACTERS)
      .optional()
      .meta({ description: "The request in the user's own words. The client sets it, never the model." }),
    hasSeenPublicData: z.boolean().optional().meta({
      description: 'Whether the author of the program may have seen public data outside of the session.',
    }),
    approved: z.string().optional().meta({ description: 'Id of an approved dry run of this program.' }),
    sandbox: z
      .string()
      .min(1)
      .max(MAX_SANDBOX_CHARACTERS)
      .optional()
      .meta({ description: 'Sandbox to run in; never replaced by another.' }),
  },
  NAMING_UNKNOWN,
);

/** The values of `priority`. */
export const PRIORITIES = ['interactive', 'background'] as const;

/** A request to execute a program. */
export type ExecuteRequest = z.infer<typeof executeRequestSchema>;

/** The client of an execution, and the reports to it. */
export interface ExecutionCaller {
  /**
   * Headers of the client's request, by their names in lower case, for the servers whose setting `forwardHeaders` names them. They are not
   * stored. An execution that is continued without them has none: its calls of such servers raise `ACCESS_DENIED`. Default: none.
   */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined;
  /** Cancels the execution. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each log line of the program. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
  /** Receives each value that the program passes to `progress`, and each progress report of a tool, with its call and its name. */
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** Called immediately before each tool call is sent, and before each file is written. An error that it throws refuses it. */
  readonly beforeCall?: (() => void) | undefined;
  /** Receives each question that the execution asks a person, and may decide about it. */
  readonly onApproval?: OnApproval | undefined;
  /** Whether the one who answers questions also answers requests of servers for a model. Default: false. */
  readonly canSample?: boolean | undefined;
  /** Receives each tool call before it is sent. */
  readonly onCall?: ((call: { readonly number: number; readonly tool: string }) => void) | undefined;
}

/** The options of one execution; all are optional. */
export interface ExecuteOptions extends Readonly<Omit<ExecuteRequest, 'code'>>, ExecutionCaller {
  /** Id of the execution: a UUID that no other execution has. Default: a new one. */
  readonly executionId?: string | undefined;
  /** The profile whose tools the program may use. `*` has all tools. Default: the setting `defaultProfile`. */
  readonly profile?: string | undefined;
  /** Whether the program is one direct call of a client: it may call the tools that clients call directly. Default: false. */
  readonly isDirect?: boolean | undefined;
  /** Owner of the program; a sandbox process never runs programs of two tenants. Default: the user and the session. */
  readonly tenant?: string | undefined;
  /**
   * The order in a cluster: of the waiting programs of a user, its workers run `interactive` ones first, then `background` ones.
   * Default: `interactive`. Without a cluster, it has no effect.
   */
  readonly priority?: (typeof PRIORITIES)[number] | undefined;
  /** Receives the id of the execution once its journal exists, before anything runs. */
  readonly onStart?: ((executionId: string) => void) | undefined;
}
