import { expect, test } from 'vitest';
import { createConnection } from './connection.ts';

test('a server beyond this machine gets a key over HTTPS only', async () => {
  const read: string[] = [];
  const stored: string[] = [];
  const secrets = {
    get: async (name: string) => void read.push(name) as undefined,
    store: async (name: string) => void stored.push(name),
    delete: async () => undefined,
  };
  let url = 'http://tools.example.invalid';
  const connection = createConnection({ readUrl: () => url, secrets });
  await expect(connection.signIn('tw_key')).rejects.toThrow('is not encrypted');
  await expect(connection.send('executions')).rejects.toThrow();
  expect([read, stored]).toEqual([[], []]);
  url = 'https://tools.example.invalid';
  await expect(connection.send('executions')).rejects.toThrow();
  expect(read).toEqual(['toolwright.key https://tools.example.invalid/']);
});
