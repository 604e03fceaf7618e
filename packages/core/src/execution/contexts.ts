import {
  type Checker,
  type Language,
  type LanguageName,
  type openSandboxes,
  pythonLanguage,
  typescriptLanguage,
} from '@toolwright/sandbox';
import { typescriptChecker } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../errors.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { CheckContext } from './check/check.ts';
import type { ActiveExecutions } from './control/active-executions.ts';
import type { ExecutionContext, Host } from './execution.ts';

/** The languages, checkers and sandboxes of a Toolwright, and the contexts of executions in them. */
export interface ExecutionContexts extends AsyncDisposable {
  /** Returns a language by name. Raises `CONFIG_INVALID`. */
  languageOf(name: string): Language;
  /** Returns the sandbox of a language, or the primary one. Raises `SANDBOX_UNAVAILABLE`. */
  sandboxOf(
    language: string | undefined,
  ): Promise<{ name: string; isolation: string; reason: string; warning?: string }>;
  /** Returns the context to check programs of a language. Raises `CONFIG_INVALID`, `CLOSED`. */
  checkContext(language: string, options?: ClientOptions): CheckContext;
  /**
   * Returns the context to run programs of a language, in the named sandbox if there is one. Raises `CONFIG_INVALID`,
   * `CLOSED`, `SANDBOX_UNAVAILABLE`.
   */
  runContext(
    language: string,
    options?: ClientOptions & { readonly sandbox?: string | undefined },
  ): Promise<ExecutionContext>;
}

/** The client of a program. */
interface ClientOptions {
  readonly userId?: string | undefined;
  readonly profile?: string | undefined;
  readonly isDirect?: boolean | undefined;
}

export interface ExecutionContextsOptions extends Host {
  readonly languages: Languages;
  readonly sandboxes: ReturnType<typeof openSandboxes>;
  readonly active: ActiveExecutions;
}

/** All languages by name. */
export type Languages = Readonly<Record<LanguageName, Language>>;

/** Returns all languages. */
export function createLanguages(): Languages {
  return { typescript: typescriptLanguage(), python: pythonLanguage() };
}

/** Creates the contexts of executions. */
export function createExecutionContexts({
  languages,
  sandboxes,
  active,
  ...shared
}: ExecutionContextsOptions): ExecutionContexts {
  const checkers: Partial<Record<LanguageName, Checker>> = { typescript: typescriptChecker() };
  const languageOf = (name: string): Language => {
    const language = Object.hasOwn(languages, name) ? languages[name as LanguageName] : undefined;
    if (language) return language;
    const message = `There is no language "${name}". This version runs: ${Object.keys(languages).join(', ')}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  };
  const checkContext: ExecutionContexts['checkContext'] = (name, { userId = DEFAULT_USER, profile, isDirect } = {}) => {
    active.requireOpen();
    const language = languageOf(name).forTenant(userId);
    const catalog = isDirect ? shared.catalog.forDirect(profile) : shared.catalog.forProfile(profile);
    return { ...shared, catalog, language, checker: checkers[language.name] };
  };
  return {
    languageOf,
    checkContext,
    async sandboxOf(name) {
      const guest = name === undefined ? sandboxes.primary : languageOf(name).guest;
      const { sandbox, ...why } = await sandboxes.for(guest);
      return { name: sandbox.name, isolation: sandbox.isolation, ...why };
    },
    async runContext(name, { sandbox: named, ...client } = {}) {
      const { language, checker, catalog } = checkContext(name, client);
      const { sandbox, reason, warning } = await sandboxes.for(language.guest, named);
      const why = { sandboxReason: reason, sandboxWarning: warning };
      return { ...shared, catalog, language, checker, sandbox, ...why };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([
        sandboxes[Symbol.asyncDispose](),
        ...Object.values(checkers).map((checker) => checker[Symbol.asyncDispose]()),
      ]);
    },
  };
}

/**
 * Returns the tenant of a program: its user, and its session if it has one. A sandbox process that has run one tenant's
 * program never runs another tenant's.
 */
export function tenantOf(userId: string, sessionId: string | undefined): string {
  return JSON.stringify(sessionId === undefined ? [userId] : [userId, sessionId]);
}
