import type { AnyServers, Connector } from '@toolwright/connectors';
import { openSandboxes } from '@toolwright/sandbox';
import type { Store } from '@toolwright/storage';
import {
  checkJournalKey,
  checkStore,
  dataFolder,
  definitionKey,
  isClusterStore,
  journalKey,
  requireDataFolder,
} from '@toolwright/storage/internal';
import type { Toolwright } from './api.ts';
import { type Catalog, createCatalog } from './catalog/catalog.ts';
import { fileTypes } from './catalog/inferred-types/file-types.ts';
import { openObservations } from './catalog/inferred-types/observations.ts';
import { storedTypes } from './catalog/inferred-types/stored-types.ts';
import { compileCallers, hasDirectTools } from './catalog/profiles/callers.ts';
import { openProfiles, type Profiles } from './catalog/profiles/profile.ts';
import { openUsage, type Usage } from './catalog/usage/usage.ts';
import { openSessionMarks } from './config/policy/origins/session-marks.ts';
import { openDurableState } from './durable-state.ts';
import { createExecutionApi } from './execution/api.ts';
import { createExecutionContexts, createLanguages } from './execution/contexts.ts';
import { continueExecutions } from './execution/control/continue-executions.ts';
import { createExecutions, type ExecutionsOptions } from './execution/control/execution-control.ts';
import { type LocalExecutions, openLocalExecutions } from './execution/control/local-executions.ts';
import { createRepeats, type Repeats } from './execution/control/repeats.ts';
import type { Executions } from './execution/executions.ts';
import type { LastingDecisions } from './execution/lasting-decisions/lasting-decisions.ts';
import { openLastingDecisions } from './execution/lasting-decisions/lasting-decisions.ts';
import { openConfiguredPackages, type Packages } from './execution/packages/packages.ts';
import { openRecordedExecutions } from './execution/replay/recorded-executions.ts';
import { createSkillsApi } from './execution/skills/library.ts';
import { type Listing, openListing } from './history/listing/listing.ts';
import type { ExecutionStorage } from './history/storages/storage.ts';
import { credentialKeys } from './logins/credential-keys.ts';
import { decideLogins } from './logins/login-decisions.ts';
import { createLogins, type LoginsParts } from './logins/logins.ts';
import { sealedCredentials } from './logins/sealed-credentials.ts';
import { checkOptionNames, checkPiiNames } from './option-names.ts';
import type { ToolwrightOptions } from './options.ts';
import { DEFAULT_USER } from './owner-name.ts';
import { openPlugins } from './plugins/plugins.ts';
import { openOwnStore } from './privacy/own-store.ts';
import { createPersonalData } from './privacy/personal-data.ts';
import { checkServers, openPrivacy } from './privacy/privacy.ts';
import { openConnectors } from './servers/open-connectors.ts';
import { createServerChanges } from './servers/server-changes.ts';
import { createServerContext } from './servers/server-context.ts';
import { createToolPins } from './servers/tool-pins.ts';
import { createSessionsApi } from './sessions/api.ts';
import { createSessionRedactors } from './sessions/redactors.ts';
import type { SessionStore } from './sessions/session.ts';
import { resolveSettings, type Settings } from './settings.ts';
import { readPluginSkills } from './skills/plugin-skills.ts';
import { watchDamagedFiles } from './telemetry/health/damaged-files.ts';
import { checkDataFolder } from './telemetry/health/data-folder.ts';
import { createHealth } from './telemetry/health/health.ts';
import { hintWhenForgotten } from './telemetry/open-hint.ts';
import { createPolicy } from './tool-calls/policy/create-policy.ts';
import { checkPolicyServers } from './tool-calls/policy/servers.ts';
import { sharedHours } from './tool-calls/policy/shared-hours.ts';
import { createToolLookup } from './tool-lookup.ts';

export type { Toolwright } from './api.ts';
export type { ExecuteOptions } from './execution/request.ts';
export type { ToolwrightOptions } from './options.ts';

/**
 * Creates a Toolwright. Connects nothing before it is needed, unless `connect` is `eager`. Raises `CONFIG_INVALID` for invalid
 * options or configuration, and `SANDBOX_UNAVAILABLE`.
 *
 * ```ts
 * await using toolwright = await createToolwright({ config: 'toolwright.json' });
 * const result = await toolwright.execute('return (await search_tools("read a file")).length');
 * ```
 */
export function createToolwright<Inputs = AnyServers, Outputs = AnyServers>(
  options?: ToolwrightOptions<Inputs, Outputs>,
): Promise<Toolwright>;
export async function createToolwright(options: ToolwrightOptions = {}): Promise<Toolwright> {
  checkOptionNames('createToolwright', options);
  checkPiiNames(options.pii ?? {});
  const settings = await resolveSettings(options);
  const { dataDir, limits, logger, config } = settings;
  requireDataFolder(dataDir);
  checkJournalKey(dataDir);
  const plugins = await openPlugins({ given: options.plugins ?? [], config, warn: logger.warn.bind(logger) });
  const { store, closeStore, shared: sharedPrivacy } = await openOwnStore(settings);
  const { logins, connectors } = openServers(options, settings, { fromPlugins: plugins.connectors, store });
  const { redactors, detect, checkKey, addPattern } = openPrivacy({
    ...{ settings: settings.pii, extensions: options.pii ?? {}, store, dataDir, ...sharedPrivacy },
  });
  const usage = settings.search.learning ? openUsage({ store, detect, log: logger }) : undefined;
  const { catalog, profiles } = openCatalog(settings, connectors, { usage, store });
  const packages = await openConfiguredPackages(config, logger);
  const sandboxes = createSandboxes(settings, packages);
  // A missing sandbox is an error at once, if one is needed.
  if (options.startSandbox ?? true) await sandboxes.for(sandboxes.primary);
  const languages = createLanguages();
  const pluginSkills = await readPluginSkills(plugins.skills, Object.values(languages), limits.sourceBytes);
  const state = await openDurableState(settings, { redactors, languages, pluginSkills, packages });
  const { storage, calls, sessionStore, skills } = state;
  const sessionRedactors = createSessionRedactors(redactors, sessionStore);
  const local = openLocalExecutions(storage, settings.waits);
  const { active, waiting } = local;
  const { policy, marks } = openPolicy(settings, store);
  const listing = openListing({ storage, calls, logger });
  const lasting = openLastingDecisions(store, () => journalKey(dataFolder(dataDir).journalKey));
  const contexts = createExecutionContexts({
    catalog,
    sessions: sessionStore,
    redactorOf: redactors.of,
    skills,
    ...{ dataDir, outputFolder: config.outputFolder, storage, lasting, packages, ...waiting },
    ...{ sampling: settings.sampling, watch: listing.watch, policy, marks, languages, sandboxes, active },
    startLogin: (server, userId) => logins.logins.start(server, { userId }),
    onDefect: (id, err, executionId) => logger.error({ executionId, id, err }, 'internal error'),
    hasLogIds: logger.isLevelEnabled?.('info') ?? true,
  });
  const damaged = watchDamagedFiles(dataDir, logger);
  if (settings.connect === 'eager') void catalog.load();
  const forgotten = hintWhenForgotten(active.isIdle);
  let closing: Promise<void> | undefined;
  const close = ({ handOver = false } = {}) => {
    // Executions end first, so that each has the status "cancelled" and an end in its journal. Without a lease, the next owner writes it.
    const ended = handOver ? storage.handOver().then(active.cancelAll) : active.cancelAll();
    forgotten[Symbol.dispose]();
    state.endRetention();
    damaged[Symbol.dispose]();
    logins[Symbol.dispose]();
    closing ??= Promise.all([contexts[Symbol.asyncDispose](), catalog[Symbol.asyncDispose](), ended])
      .finally(() => listing.close())
      .finally(state.closeState)
      .finally(() => usage?.[Symbol.asyncDispose]())
      .then(closeStore);
    return closing;
  };
  const parts = { contexts, active, redactors: sessionRedactors, limits, isChecked: settings.check };
  const executions = openExecutions({
    ...{ settings, local, storage, listing, repeats: createRepeats(parts), sessionStore, lasting },
    restore: async (values, owner) => (await sessionRedactors.of(owner)).showTo(values, 'user'),
  });
  logins.decideBy((login) => decideLogins(executions, login));
  return {
    ...{ limits, packages, policy: settings.policy, hasDirectTools: hasDirectTools(config), pages: plugins.pages },
    ...createExecutionApi(parts),
    ...createToolLookup({ catalog, skills, contexts, policy, packages, profiles }),
    ...createServerChanges(catalog, settings, logins),
    ...{ executions, lastingDecisions: lasting, clientHeaders: catalog.clientHeaders, logins: logins.logins },
    context: createServerContext({ catalog, redactors: sessionRedactors, policy }),
    pins: createToolPins(catalog, settings.pin, profiles),
    health: openHealth({ settings, sandboxes, store, storage, checkKey, damaged }),
    sessions: createSessionsApi(sessionStore.sessions),
    skills: createSkillsApi({ skills, active, limits, contextFor: contexts.runContext, dataDir, storage }),
    pii: createPersonalData(sessionRedactors, { ...redactors, addPattern }),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** Opens the policy, and the marks of sessions for one that depends on origins. */
function openPolicy(settings: Settings, store: Store) {
  const policy = createPolicy(settings.policy, isClusterStore(settings.store) ? sharedHours(store) : undefined);
  return { policy, marks: policy.origins && openSessionMarks(store) };
}

interface ExecutionParts {
  readonly restore: ExecutionsOptions['restore'];
  readonly lasting: LastingDecisions;
  readonly settings: Settings;
  readonly local: LocalExecutions;
  readonly storage: ExecutionStorage;
  readonly listing: Listing;
  readonly repeats: Repeats;
  readonly sessionStore: SessionStore;
}

function openExecutions({
  settings,
  local,
  storage,
  listing,
  repeats,
  sessionStore,
  restore,
  lasting,
}: ExecutionParts): Executions {
  const { dataDir, logger } = settings;
  const { active, waiting } = local;
  return createExecutions({
    ...{ active, storage, listing, repeats, restore, lasting },
    recorded: openRecordedExecutions({ dataDir, storage }),
    readStored: sessionStore.stored,
    async remove(id, userId = DEFAULT_USER) {
      const bytes = (await storage.remove(id, userId)) + (await sessionStore.removeExecution(id));
      sessionStore.spaceFor(userId)?.add(-bytes);
    },
    continueWith: (resumeOne) =>
      continueExecutions({
        ...{ storage, resume: resumeOne, onSuspend: waiting.onSuspend },
        onError: (id, err) => logger.error({ id, err }, 'a suspended execution was not continued'),
      }),
  });
}

interface HealthParts {
  readonly settings: Settings;
  readonly sandboxes: SandboxSet;
  readonly store: Store;
  readonly storage: ExecutionStorage;
  readonly checkKey: () => Promise<void>;
  readonly damaged: ReturnType<typeof watchDamagedFiles>;
}

function openHealth({ settings, sandboxes, store, storage, checkKey, damaged }: HealthParts): Toolwright['health'] {
  return createHealth({
    checks: {
      sandbox: () => sandboxes.for(sandboxes.primary),
      store: async () => {
        await checkStore(store);
        try {
          for await (const _ of storage.listHistory(DEFAULT_USER)) break;
        } catch (error) {
          // The tables may be a file of the data folder. The check of the folder reports a folder that cannot be used.
          const isFolderUsable = await checkDataFolder(settings.dataDir).then(
            () => true,
            () => false,
          );
          if (isFolderUsable) throw error;
        }
      },
      key: checkKey,
      dataFolder: () => checkDataFolder(settings.dataDir),
    },
    damaged,
    logger: settings.logger,
  });
}

function openCatalog(
  settings: Settings,
  connectors: readonly Connector[],
  { usage, store }: { readonly usage: Usage | undefined; readonly store: Store },
): { readonly catalog: Catalog; readonly profiles: Profiles } {
  const { pii, policy, pin: mode, config, dataDir, logger } = settings;
  const names = connectors.map(({ name }) => name);
  const known = [...names, ...config.disabledServers];
  checkServers(pii, known);
  checkPolicyServers(policy, known);
  const observations = openObservations(
    isClusterStore(settings.store) ? storedTypes({ store, log: logger }) : fileTypes(dataDir),
  );
  const pinning = mode === 'off' ? undefined : { mode, store, key: () => definitionKey(dataDir) };
  const { profiles: sets, defaultProfile, disabledServers } = config;
  const profiles: Profiles = openProfiles({
    ...{ profiles: sets, defaultProfile },
    servers: () => [...catalog.servers().map(({ name }) => name), ...disabledServers],
  });
  const catalog = createCatalog({
    connectors,
    observations,
    usage,
    pinning,
    profiles,
    callers: compileCallers(config),
    log: logger,
  });
  for (const { name, problem } of profiles.all()) {
    if (problem !== undefined) logger.warn({ profile: name, problem }, 'a profile cannot be used');
  }
  return { catalog, profiles };
}

function openServers(
  options: ToolwrightOptions,
  settings: Settings,
  { fromPlugins, store }: { readonly fromPlugins: readonly Connector[]; readonly store: Store },
): { readonly logins: LoginsParts; readonly connectors: readonly Connector[] } {
  // Other machines of a cluster cannot read the keychain of this one.
  const mayUseKeychain = (options.oauthKeychain ?? true) && !isClusterStore(settings.store);
  const keys = credentialKeys({ dataDir: settings.dataDir, mayUseKeychain });
  const logins = createLogins(sealedCredentials(store, keys), keys.place);
  return { logins, connectors: openConnectors(options, settings, { fromPlugins, logins }) };
}

function createSandboxes({ sandbox, limits, config, logger }: Settings, { python }: Packages): SandboxSet {
  return openSandboxes({
    sandbox,
    memoryBytes: limits.memoryBytes,
    settings: { docker: config.docker, kubernetes: config.kubernetes, packages: python },
    onChoice(guest, { sandbox: { name }, reason, warning }) {
      if (warning === undefined) logger.info({ guest, sandbox: name, reason }, 'sandbox chosen');
      else logger.warn({ guest, sandbox: name, reason, warning }, 'a weaker sandbox was chosen');
    },
  });
}

type SandboxSet = ReturnType<typeof openSandboxes>;
