// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import { expect, test } from 'vitest';
import { describeConfiguration } from './describe.ts';

test('commands, addresses and settings are complete, in one line each, and without secrets', () => {
  const text = JSON.stringify({
    mcpServers: {
      files: {
        command: 'npx',
        args: ['-y', 'a b', '--token', 'verysecret'],
        env: { KEY: 'verysecret', ANY: 'verysecret' },
      },
      api: {
        url: 'https://ada:verysecret@x.example/mcp?key=verysecret',
        headers: { Authorization: '${command:curl x}' },
      },
    },
    servers: { 'evil\nname\u202e': { openapi: './api.json' }, odd: 7 },
    store: 'postgres://ada:verysecret@db/x',
    plugins: ['./plugin.mjs'],
  });
  expect(describeConfiguration('/x/toolwright.json', text)).toEqual([
    '/x/toolwright.json starts or reaches',
    '  files: npx -y "a b" --token ••• {"env":{"KEY":"•••","ANY":"•••"}}',
    '  api: https://ada:•••@x.example/mcp?key=••• {"headers":{"Authorization":"${command:curl x}"}}',
    '  evil\\nname\\u202e: {"openapi":"./api.json"}',
    '  odd: 7',
    'and sets',
    '  store: "postgres://ada:•••@db/x"',
    '  plugins: ["./plugin.mjs"]',
  ]);
});

test('an invalid file starts nothing', () => expect(describeConfiguration('/x', '{ "mcpServers": ')).toEqual([]));
