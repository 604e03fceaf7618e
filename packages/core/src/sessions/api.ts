import { checkOptionNames } from '../option-names.ts';
import type { Sessions } from './session.ts';

/** Creates the sessions of a Toolwright, whose methods refuse former and misspelt names of options. */
export function createSessionsApi(sessions: Sessions): Sessions {
  return {
    async create(options = {}) {
      checkOptionNames('sessions.create', options);
      return sessions.create(options);
    },
    async get(id, owner = {}) {
      checkOptionNames('sessions.get', owner);
      return sessions.get(id, owner);
    },
    async list(options = {}) {
      checkOptionNames('sessions.list', options);
      return sessions.list(options);
    },
    async log(id, owner = {}) {
      checkOptionNames('sessions.log', owner);
      return sessions.log(id, owner);
    },
    async files(id, owner = {}) {
      checkOptionNames('sessions.files', owner);
      return sessions.files(id, owner);
    },
    async remove(id, owner = {}) {
      checkOptionNames('sessions.remove', owner);
      return sessions.remove(id, owner);
    },
  };
}
