import { expect, it } from 'vitest';
import { isUrlQuestion, linkOf, templateOf } from './answer.tsx';

it('links only to pages of the web, of logins and of servers that ask for a page', () => {
  const url = 'https://pay.example/7';
  expect(linkOf({ kind: 'authorization', details: { server: 'web', url } })).toBe(url);
  expect(linkOf({ kind: 'input', details: { mode: 'url', url } })).toBe(url);
  expect(linkOf({ kind: 'input', details: { mode: 'form', url } })).toBeUndefined();
  expect(linkOf({ kind: 'outcome', details: { url } })).toBeUndefined();
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', '//x', 7, undefined])
    expect(linkOf({ kind: 'authorization', details: { url: bad } })).toBeUndefined();
  expect([isUrlQuestion({ kind: 'input', details: undefined }), linkOf({ kind: 'input', details: null })]).toEqual([
    false,
    undefined,
  ]);
});

it('begins an answer with the fields of the form', () => {
  const properties = { email: { type: 'string' }, seats: { type: 'integer', default: 2 }, sure: { type: 'boolean' } };
  expect(JSON.parse(templateOf({ requestedSchema: { properties } }))).toEqual({
    email: '',
    seats: 2,
    sure: null,
  });
  for (const details of [undefined, null, {}, { requestedSchema: {} }]) expect(templateOf(details)).toBe('{}');
});
