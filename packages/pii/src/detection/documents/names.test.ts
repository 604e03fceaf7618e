import { describe, expect, it } from 'vitest';
import { detectText } from './text.ts';
import { detectValue } from './value.ts';

/** Returns the names in a value, as JSON text and as a value. */
function names(value: unknown): string[] {
  const text = JSON.stringify(value);
  const inText = detectText(text).filter(({ type }) => type === 'NAME');
  const inValue = detectValue(value).flatMap(({ spans, value: leaf }) =>
    spans.filter(({ type }) => type === 'NAME').map(({ start, end }) => String(leaf).slice(start, end)),
  );
  expect(inText.map(({ start, end }) => text.slice(start, end))).toEqual(inValue);
  return inValue;
}

describe('names of persons', () => {
  it.each<[unknown, string[]]>([
    [{ customer_name: 'Ines Duarte', iban: 'DE89370400440532013000', amount: 12.5, currency: 'EUR' }, ['Ines Duarte']],
    [{ name: [{ use: 'official', text: 'Dr. Anneke Vermeulen' }] }, ['Dr. Anneke Vermeulen']],
    [{ customer_name: 'Globex', amount: 12.5, currency: 'EUR' }, []],
    [{ label: { text: 'Submit Order' }, title: { text: 'Ada Lovelace' } }, []],
  ])('%j', (value, expected) => expect(names(value)).toEqual(expected));

  it.each([
    ['achternaam: de Wit\nvoornaam: Pieter\n', ['NAME:de Wit', 'NAME:Pieter']],
    ['last_name: van den Berg\n', ['NAME:van den Berg']],
    ['{"dob":{"date":"1984-07-12T08:11:20Z"}}', ['DATE_OF_BIRTH:1984-07-12T08:11:20Z']],
    ['Mi chiami al 347 556 1290 domani.', ['PHONE:347 556 1290']],
    ['Richiamami al 347 556 1290.', ['PHONE:347 556 1290']],
    ['Trabaja en Bilbao y nació el 12/05/1979.', ['DATE_OF_BIRTH:12/05/1979']],
    ['order: de Lux\n', []],
  ])('%s', (text, expected) =>
    expect(detectText(text).map(({ type, start, end }) => `${type}:${text.slice(start, end)}`)).toEqual(expected),
  );
});

describe('names of things are no personal data', () => {
  it.each<[string, unknown]>([
    [
      'a repository of GitHub',
      { name: 'Hello-World', full_name: 'octo/Hello-World', id: 1, owner: { login: 'octo', type: 'User' } },
    ],
    ['an account that pushes', { pusher: { name: 'octo', email: '21+octo@users.noreply.github.com' } }],
    ['a committer that is a system', { committer: { name: 'GitHub', email: 'noreply@github.com' } }],
    ['an account of an author', { author: { name: 'Octo', username: 'Octo', email: 'octo@example.org' } }],
    ['a nested repository', { repository: { name: 'Ada Tools', url: 'https://example.org' } }],
    ['a channel of Slack', { channel: { id: 'C1', name: 'general', is_channel: true, creator: 'U1' } }],
    ['a team of Slack', { team: { id: 'T1', name: 'Ada Lovers', domain: 'ada', email_domain: 'example.org' } }],
    ['an organization', { owner: { login: 'ada', type: 'Organization', name: 'Ada Corp', email: 'hi@example.org' } }],
    ['a product of Stripe', { object: 'product', name: 'Gold Plan', id: 'prod_1' }],
    ['a company of HubSpot', { companies: [{ name: 'Hubble', domain: 'example.org', phone: '415-555-2671' }] }],
    ['a project of Google', { projectId: 'p', name: 'projects/p', displayName: 'Demo Project', etag: 'x' }],
    ['a field of a form', { id: 'f1', displayName: 'Labour Charges', type: 'string' }],
    ['an issue type of Jira', { issuetype: { id: '1', name: 'Story', self: 'https://example.org' } }],
    ['a pod of Kubernetes', { kind: 'Pod', metadata: { name: 'nginx', namespace: 'default' } }],
    ['a user of Kubernetes', { users: [{ name: 'kubernetes-admin', user: {} }] }],
    ['a driver of Docker', { driver: { name: 'overlay2' } }],
    ['a package of npm', { name: 'left-pad', version: '1.0.0', email: 'x@example.org' }],
    ['a browser', { client: { name: 'Chrome', version: '12' } }],
    ['a model', { model: { name: 'Claude Sonnet', id: 'm' } }],
    ['a name beside an id', { id: 7, name: 'Ada', url: 'https://example.org', type: 'x' }],
    ['a login', { username: 'ada', login: 'ada' }],
    ['a branch beside an address', { branch_name: 'main', file_name: 'Ada', email: 'ada@example.org' }],
    ['a company beside an address', { email: 'ada@example.org', company_name: 'Acme' }],
    ['an error', { error: { kind: 'user', code: 'GUEST_ERROR', name: 'TypeError', message: 'broken' } }],
    ['an error of a program', { error: { kind: 'user', name: 'Declined', message: 'no money' } }],
    ['a warning with its stack', { type: 'User', name: 'Deprecation', stack: 'at main' }],
    ['a mailbox of a team', { name: 'Support', email: 'ada@example.org' }],
  ])('%s', (_, value) => {
    expect(names(value)).toEqual([]);
  });
});

describe('names of persons are found by their siblings and parents', () => {
  it.each<[unknown, string]>([
    [{ name: 'Ada Lovelace', email: 'ada@example.org' }, 'Ada Lovelace'],
    [{ name: 'ann', email: 'ann@example.org' }, 'ann'],
    [{ user: { id: 1, name: 'Ada Lovelace' } }, 'Ada Lovelace'],
    [{ customer: { name: 'Mark' } }, 'Mark'],
    [{ author: { name: 'José Müller' } }, 'José Müller'],
    [{ assignee: { displayName: 'Grace Hopper', accountId: '5b10' } }, 'Grace Hopper'],
    [{ displayName: 'Grace Hopper', accountId: '5b10' }, 'Grace Hopper'],
    [{ full_name: 'Ada Lovelace', id: 7 }, 'Ada Lovelace'],
    [{ billing_details: { email: null, name: 'Jenny Rosen', phone: null } }, 'Jenny Rosen'],
    [{ users: { items: [{ id: 1, name: 'Leanne Graham', username: 'Bret' }] } }, 'Leanne Graham'],
    [{ type: 'User', login: 'octo', name: 'mona octo' }, 'mona octo'],
    [{ __typename: 'Person', name: 'Ada' }, 'Ada'],
    [{ customer_name: 'Ada Lovelace' }, 'Ada Lovelace'],
    [{ card: { name: 'Jenny Rosen', last4: '4242' } }, 'Jenny Rosen'],
    [{ name: 'Ada Lovelace', email: 'ada@example.org', version: 3 }, 'Ada Lovelace'],
    [{ 'first name': 'Mark', dob: null }, 'Mark'],
  ])('%j', (value, name) => {
    expect(names(value)).toEqual([name]);
  });
});

it('the columns of a table are evidence for its names', () => {
  const found = (text: string) => detectText(text).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
  expect(found('name,email\nAda Lovelace,ada@example.org\n')).toEqual(['NAME Ada Lovelace', 'EMAIL ada@example.org']);
  expect(found('name,version,sku\nAda Lovelace,1.2.3,7\n')).toEqual([]);
});
