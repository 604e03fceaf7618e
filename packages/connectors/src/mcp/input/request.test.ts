import { expect, it } from 'vitest';
import { secretField } from './request.ts';

const text = (more = {}) => ({ type: 'string' as const, ...more });

it.each([
  ['userPassword', text()],
  ['api_key', text()],
  ['value', text({ title: 'Your PIN' })],
  ['value', text({ format: 'password' })],
  ['value', text({ description: 'Please enter your account password.' })],
  ['card number', text()],
  ['accessToken', text()],
])('a form that asks for a secret in the field %s is found', (name, field) => {
  expect(secretField('Sign in', { [name]: field })).toBe(name);
});

it('a message that asks for a secret is found', () => {
  expect(secretField('Enter your GitHub password to go on', { value: text() })).toBe('message');
});

it.each([
  ['shipping', text()],
  ['keyword', text({ title: 'Search key words' })],
  ['value', text({ description: 'A number (do not give us your pin or password)' })],
  ['number', text({ title: 'Phone number' })],
  ['primaryKey', text()],
])('the field %s is no secret', (name, field) => {
  expect(secretField('Never send your password to anyone', { [name]: field })).toBeUndefined();
});
