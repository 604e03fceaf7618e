import { isUtf8 } from 'node:buffer';
import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type { Files } from '../../workspaces/files.ts';

/** Files about tools, whose descriptions an upstream server wrote. */
const SERVER_FILE = /^\/*servers\//;

/** Returns files that contain placeholders, and show a program the values that it may see. */
export function programFiles(
  files: Files,
  values: Pick<ProgramValues, 'reveal' | 'conceal'>,
  redactor: Pick<Redactor, 'redact'>,
): Files {
  return {
    ...files,
    async read(path, maxBytes) {
      const content = await files.read(path, maxBytes);
      if (SERVER_FILE.test(path)) return Buffer.from(await redactor.redact(content.toString()));
      if (!content.includes('[') || !isUtf8(content)) return content;
      const text = content.toString();
      const shown = await values.reveal(text);
      return shown === text ? content : Buffer.from(shown);
    },
    async write(path, content, mode) {
      if (!isUtf8(content)) return files.write(path, content, mode);
      const text = content.toString();
      const stored = await values.conceal(text);
      return files.write(path, stored === text ? content : Buffer.from(stored), mode);
    },
  };
}
