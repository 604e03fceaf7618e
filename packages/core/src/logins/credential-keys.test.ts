import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seal, unseal } from '@toolwright/pii/internal';
import { describe, expect, it } from 'vitest';
import { ToolwrightError } from '../errors.ts';
import { credentialKeys } from './credential-keys.ts';

/** A keychain in memory: machines of tests have none of the system. */
function keychainOf(entries: Map<string, string>) {
  return async () => ({
    read: (name: string) => entries.get(name),
    write: (name: string, value: string) => void entries.set(name, value),
  });
}

describe('the key of tokens', () => {
  it('is in the keychain where there is one, and in the data folder otherwise', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-'));
    const entries = new Map<string, string>();
    const keychain = keychainOf(entries);
    const desktop = credentialKeys({ dataDir, mayUseKeychain: true, keychain });
    const serving = credentialKeys({ dataDir, mayUseKeychain: false, keychain });
    const without = credentialKeys({
      dataDir,
      mayUseKeychain: true,
      keychain: async () => {
        throw new ToolwrightError('CONFIG_INVALID', 'There is no keychain.');
      },
    });
    expect(await without.place()).toBe('data folder');
    expect(await serving.place()).toBe('data folder');
    expect(entries.size).toBe(0);
    expect(await desktop.place()).toBe('keychain');
    expect(entries.size).toBe(1);
    const sealed = seal(await desktop.current(), ['place'], Buffer.from('token'));
    // A server reads the tokens of a desktop, but seals with the key of its folder.
    const opened = (await credentialKeys({ dataDir, mayUseKeychain: false, keychain }).all()).flatMap((key) => {
      try {
        return [unseal(key, ['place'], sealed).toString()];
      } catch {
        return [];
      }
    });
    expect(opened).toEqual(['token']);
    expect((await serving.current()).id).toEqual((await without.current()).id);
    expect((await serving.current()).id).not.toEqual((await desktop.current()).id);
  });
});
