// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import { describe, expect, it } from 'vitest';
import { withoutSecrets, withSecretsOf } from './hidden-secrets.ts';

const ENTRY = {
  command: 'npx',
  args: ['-y', 'server', '--api-key', 'first-secret', '--token=second-secret', '--mode', 'fast'],
  env: { TOKEN: 'third-secret', FROM: '${env:TOKEN}', DEBUG: '1' },
  auth: { clientId: 'me', clientSecret: 'fourth' },
};
const SHOWN = {
  command: 'npx',
  args: ['-y', 'server', '--api-key', '•••', '--token=•••', '--mode', 'fast'],
  env: { TOKEN: '•••', FROM: '${env:TOKEN}', DEBUG: '1' },
  auth: { clientId: 'me', clientSecret: '•••' },
};

describe('an entry for a person', () => {
  it('has no secret, and references as they are', () => {
    expect(withoutSecrets(ENTRY)).toEqual(SHOWN);
    expect(withoutSecrets({ url: 'https://a.example/?key=a-secret', headers: { A: 'b-secret' } })).toEqual({
      url: 'https://a.example/?key=•••',
      headers: { A: '•••' },
    });
  });

  it('gets its secrets back where they were', () => {
    expect(withSecretsOf(ENTRY, SHOWN)).toEqual(ENTRY);
    const changed = { ...SHOWN, args: ['server', '--token=•••', '-v', '--api-key', '•••'], env: { TOKEN: 'new' } };
    expect(withSecretsOf(ENTRY, changed)).toEqual({
      ...ENTRY,
      args: ['server', '--token=second-secret', '-v', '--api-key', 'first-secret'],
      env: { TOKEN: 'new' },
    });
  });

  it.each([
    [{ ...SHOWN, env: { OTHER: '•••' } }, 'env.OTHER: '],
    [{ ...SHOWN, env: { TOKEN: 'x•••' } }, 'env.TOKEN: '],
    [{ ...SHOWN, args: ['•••', '•••'] }, 'args.1: '],
    [{ ...SHOWN, command: '•••' }, 'command: '],
  ])('refuses a hidden value without a secret %#', (changed, place) => {
    expect(() => withSecretsOf(ENTRY, changed)).toThrow(`${place}a hidden value can only stay`);
    expect(() => withSecretsOf(undefined, changed)).toThrow('a hidden value can only stay');
  });
});
