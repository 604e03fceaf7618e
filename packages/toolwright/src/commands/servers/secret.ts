import { text } from 'node:stream/consumers';
import { EXIT, UsageError } from '@toolwright/core/command';
import { openKeychain } from '@toolwright/core/config';
import type { ServersContext } from './context.ts';

/** Stores a secret from stdin in the keychain of the operating system. It is never an argument: others could read it. */
export async function storeSecret(
  { output }: ServersContext,
  words: readonly string[],
  { input = process.stdin as AsyncIterable<string | Buffer>, keychain = openKeychain } = {},
): Promise<number> {
  const [name, more] = words;
  if (name === undefined || more !== undefined)
    throw new UsageError('Use "servers secret NAME", with the secret on stdin.');
  const opened = await keychain();
  const value = (await text(input as unknown as NodeJS.ReadableStream)).replace(/\r?\n$/, '');
  if (value === '')
    throw new UsageError('stdin has no secret. Send it: printf %s "$TOKEN" | toolwright servers secret NAME');
  opened.write(name, value);
  output.out(`Stored. Refer to it by \${keychain:${name}}.`);
  return EXIT.completed;
}
