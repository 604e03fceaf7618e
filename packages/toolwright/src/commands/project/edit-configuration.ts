import { editFile } from '@toolwright/core/config';
import { type Place, remember } from './trust.ts';

/**
 * Changes a configuration file for its user, who thereby trusts the new content. `wasTrusted`: whether the user trusts the
 * content before. Default: yes, because each command checks it first. Raises `CONFIG_INVALID`.
 */
export async function editConfiguration(
  file: string,
  change: (text: string) => string,
  place: Place,
  wasTrusted: (text: string) => boolean = () => true,
): Promise<void> {
  let written: string | undefined;
  await editFile(file, (text) => {
    const changed = change(text);
    written = text === '' || wasTrusted(text) ? changed : undefined;
    return changed;
  });
  if (written === undefined) return;
  try {
    remember(file, written, place);
  } catch {
    // The next command asks about the file.
  }
}
