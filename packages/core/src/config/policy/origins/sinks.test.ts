import type { Tool } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { sinksFrom } from './sinks.ts';

function toolOf(name: string, properties: object = {}): Tool {
  return { id: `s__${name}`, server: 's', definition: { name, inputSchema: { type: 'object', properties } as never } };
}
const text = (description = '') => ({ type: 'string', description });

describe('sinksFrom', () => {
  it.each([
    ['send_email', 'to', text(), 'receiver'],
    ['send_email', 'recipients', { type: 'array', items: text() }, 'receiver'],
    ['send_money', 'recipient', text('IBAN of the recipient'), 'receiver'],
    ['post_message', 'channel', text(), 'receiver'],
    ['invite_user_to_slack', 'user_email', text(), 'receiver'],
    ['add_user_to_channel', 'user', text(), 'receiver'],
    ['share_file', 'email', text(), 'receiver'],
    ['create_event', 'participants', { anyOf: [{ type: 'array', items: text() }, { type: 'null' }] }, 'receiver'],
    ['get_webpage', 'url', text(), 'destination'],
    ['write_file', 'path', text(), 'destination'],
    ['delete_file', 'file_id', text(), 'record'],
    ['reserve_hotel', 'hotel', text(), 'record'],
    ['run', 'command', text(), 'command'],
    ['query', 'sql', text(), 'command'],
    ['update_password', 'password', text(), 'credential'],
    ['send_money', 'amount', { type: 'number' }, 'amount'],
    ['send_email', 'body', text(), 'content'],
    ['send_email', 'subject', text(), 'content'],
    ['list', 'limit', { type: 'integer' }, 'setting'],
    ['list', 'sort', { type: 'string', enum: ['a', 'b'] }, 'setting'],
    ['convert', 'to', text('Target currency'), 'setting'],
    ['move_file', 'source', text(), 'destination'],
    ['search_news', 'source', text(), 'setting'],
    ['list_notes', 'directory_path_str', text(), 'destination'],
    ['create_service', 'client_key', text('TLS key'), 'credential'],
    ['set_api_keys', 'openaiApiKey', text(), 'credential'],
    ['wallet_call', 'wallet', text('The wallet: a private key or mnemonic'), 'credential'],
    ['delete_message', 'channelId', text(), 'record'],
    ['send_message', 'channelId', text(), 'receiver'],
    ['get_stock', 'code', text(), 'record'],
    ['run_python', 'code', text(), 'command'],
    ['process_transaction', 'destination_account', text(), 'receiver'],
    ['create_relation', 'to', text('Name of the target entity'), 'record'],
    ['add_slide', 'layout_index', { type: 'integer' }, 'setting'],
    ['get_pull_request', 'pullNumber', { type: 'integer' }, 'record'],
  ])('%s: %s is a %#', (tool, name, schema, kind) => {
    expect(sinksFrom()(toolOf(tool, { [name]: schema }))([name])).toBe(kind);
  });

  it('takes a property of a record for content, unless it is an id', () => {
    const record = { type: 'object', properties: { phone: text(), address: text(), owner_id: text() } };
    const of = sinksFrom()(toolOf('update_contact', { properties: record }));
    expect(['phone', 'address', 'owner_id'].map((name) => of(['properties', name]))).toEqual([
      'content',
      'content',
      'record',
    ]);
  });

  it('takes an address for a target where the parameter seems harmless', () => {
    const of = sinksFrom()(toolOf('set', { mode: text() }));
    expect([of(['mode'], 'fast'), of(['mode'], 'a@b.example'), of(['mode'], 'https://b.example')]).toEqual([
      'setting',
      'receiver',
      'destination',
    ]);
  });

  it('takes the configuration first, and the meaning around a property without a schema', () => {
    const tool = toolOf('send_email', { to: { type: 'object' }, note: text() });
    const of = sinksFrom([{ tools: 's__send_*', parameters: { note: 'receiver' } }])(tool);
    expect([of(['note']), of(['to', 'x']), of(['__proto__'])]).toEqual(['receiver', 'receiver', 'setting']);
  });
});
