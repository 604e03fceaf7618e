import type { Languages } from './execution/contexts.ts';
import type { Packages } from './execution/packages/packages.ts';
import { packageRecorder } from './execution/packages/skill-packages.ts';
import { startRetention } from './execution/retention/retention.ts';
import type { CallRelay } from './history/listing/call-relay.ts';
import { openExecutionStorage } from './history/storages/open.ts';
import type { ExecutionStorage } from './history/storages/storage.ts';
import type { openPrivacy } from './privacy/privacy.ts';
import type { Session, SessionStore } from './sessions/session.ts';
import { createSessionStore } from './sessions/sessions.ts';
import { openSharedSessions } from './sessions/shared.ts';
import type { Settings } from './settings.ts';
import { createSkillLibraries, type SkillLibraryOptions } from './skills/library.ts';

/** The durable state of a Toolwright that is not in its store: executions, sessions and skills. */
interface DurableState {
  readonly storage: ExecutionStorage;
  readonly calls?: CallRelay | undefined;
  readonly sessionStore: SessionStore;
  readonly skills: ReturnType<typeof createSkillLibraries>;
  readonly endRetention: () => void;
  readonly closeState: () => Promise<void>;
}

interface DurableStateParts {
  readonly redactors: ReturnType<typeof openPrivacy>['redactors'];
  readonly languages: Languages;
  readonly pluginSkills: NonNullable<SkillLibraryOptions['pluginSkills']>;
  readonly packages: Packages;
}

/** Opens the executions, sessions and skills of a data folder, or of a cluster. Starts the removal of old ones. */
export async function openDurableState(
  settings: Settings,
  { redactors, languages, pluginSkills, packages }: DurableStateParts,
): Promise<DurableState> {
  const { dataDir, limits, userDiskBytes, retentionDays, logger, config } = settings;
  const shared = openSharedSessions(settings);
  const skills = createSkillLibraries(dataDir, Object.values(languages), {
    pluginSkills,
    folders: shared?.folders,
    codeBytes: limits.sourceBytes,
    withRecord: packageRecorder(packages),
  });
  const { storage, calls, closeStorage } = await openExecutionStorage(settings);
  const onRemove = ({ id, userId }: Session) => redactors.destroy({ user: userId, session: id });
  const sessionStore = createSessionStore({
    dataDir,
    executions: storage,
    quota: limits,
    shared,
    userDiskBytes,
    customer: config.customer,
    onRemove,
  });
  const endRetention = startRetention({
    dataDir,
    executions: storage,
    sessions: sessionStore,
    retentionDays,
    logger,
  });
  return {
    storage,
    sessionStore,
    skills,
    endRetention,
    calls,
    async closeState() {
      await closeStorage().finally(sessionStore.close);
      await shared?.[Symbol.asyncDispose]();
    },
  };
}
