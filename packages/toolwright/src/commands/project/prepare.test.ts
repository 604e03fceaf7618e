// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import { expect, test } from 'vitest';
import { projectVariables } from './prepare.ts';

const variables = (text: string, configuration = '', env = {}) =>
  projectVariables('/x/.env', text, { configuration, env });

test('settings and references of the configuration are used, and the environment has priority', () => {
  const text =
    '# a comment\nPORT=3000\nexport HOST="127.0.0.1"\nTOOLWRIGHT_LOG=debug # why\nEMPTY=\nOPENAI_API_KEY=k\nOTHER=1\n';
  const configuration = '{"env": {"A": "${EMPTY}", "B": "${env:GITHUB_TOKEN:-x}"}}';
  expect(variables(`${text}GITHUB_TOKEN=t\n`, configuration, { TOOLWRIGHT_LOG: 'error' })).toEqual({
    PORT: '3000',
    HOST: '127.0.0.1',
    EMPTY: '',
    OPENAI_API_KEY: 'k',
    GITHUB_TOKEN: 't',
  });
});

test.each(['PATH', 'HOME', 'XDG_STATE_HOME', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS'])(
  '%s is never set, not even for a reference',
  (name) => expect(variables(`${name}=x`, `\${${name}}`)).toEqual({}),
);

test('a place of data or keys is an error, unless the environment has it', () => {
  expect(() => variables('TOOLWRIGHT_STORE=a\nPORT=1\nTOOLWRIGHT_MASTER_KEY=b')).toThrow(
    '/x/.env sets TOOLWRIGHT_MASTER_KEY, TOOLWRIGHT_STORE, which a file of a folder may not set.',
  );
  expect(variables('TOOLWRIGHT_STORE=a\nPORT=1', '', { TOOLWRIGHT_STORE: 'sqlite' })).toEqual({ PORT: '1' });
});
