import type { PersonalData } from '@toolwright/pii';
import type { Redactors } from '@toolwright/pii/internal';
import { checkOptionNames } from '../option-names.ts';
import type { SessionRedactors } from '../sessions/redactors.ts';

/** Creates the methods of a Toolwright that redact and restore personal data. */
export function createPersonalData(
  redactors: SessionRedactors,
  { rotate, addPattern }: Redactors & { readonly addPattern: PersonalData['addPattern'] },
): PersonalData {
  return {
    async redact(value, options = {}) {
      checkOptionNames('pii.redact', options);
      const { detect = true, ...owner } = options;
      const redactor = await redactors.of(owner);
      return detect ? redactor.redact(value) : redactor.redactKnown(value);
    },
    async restore(value, options = {}) {
      checkOptionNames('pii.restore', options);
      const { reader = 'user', ...owner } = options;
      return (await redactors.of(owner)).restoreFor(value, reader);
    },
    async show(value, options = {}) {
      checkOptionNames('pii.show', options);
      const { reader = 'user', ...owner } = options;
      return (await redactors.of(owner)).showTo(value, reader);
    },
    async redactStream(owner = {}) {
      checkOptionNames('pii.redactStream', owner);
      return (await redactors.of(owner)).redactStream();
    },
    async restoreStream(options = {}) {
      checkOptionNames('pii.restoreStream', options);
      const { reader = 'user', ...owner } = options;
      return (await redactors.of(owner)).restoreStreamFor(reader);
    },
    async forget(value, owner = {}) {
      checkOptionNames('pii.forget', owner);
      return redactors.forget(value, owner);
    },
    rotate,
    addPattern,
  };
}
