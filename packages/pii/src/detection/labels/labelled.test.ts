import { expect, it } from 'vitest';
import { detectText } from '../documents/text.ts';
import { detectValue } from '../documents/value.ts';

const found = (text: string) =>
  detectText(text)
    .filter(({ type }) => type === 'NAME' || type === 'ADDRESS')
    .map(({ start, end, type }) => `${type} ${text.slice(start, end)}`);

it.each<[string, string, string[]]>([
  ['YAML', 'name: Amelia Hartwick\nemail: a@x.com\n', ['NAME Amelia Hartwick']],
  [
    'nested YAML',
    'customer:\n  full_name: Amelia Hartwick\n  address: 12 Elm Street\n',
    ['NAME Amelia Hartwick', 'ADDRESS 12 Elm Street'],
  ],
  [
    'XML',
    '<p><full_name>Amelia Hartwick</full_name><surname>Hartwick</surname></p>',
    ['NAME Amelia Hartwick', 'NAME Hartwick'],
  ],
  ['INI', '[user]\nfull_name = Amelia Hartwick\n', ['NAME Amelia Hartwick']],
  ['a table of HTML', '<tr><th>Full name</th><td>Amelia Hartwick</td></tr>', ['NAME Amelia Hartwick']],
  ['a list of HTML', '<dl><dt>Customer name</dt><dd>Amelia Hartwick</dd></dl>', ['NAME Amelia Hartwick']],
  ['JavaScript', "{ fullName: 'Amelia Hartwick', age: 3 }", ['NAME Amelia Hartwick']],
  ['Python', "{'full_name': 'Amelia Hartwick', 'age': 3}", ['NAME Amelia Hartwick']],
  [
    'a vCard',
    'BEGIN:VCARD\nFN:Amelia Hartwick\nN:Hartwick;Amelia;;;\nEND:VCARD',
    ['NAME Amelia Hartwick', 'NAME Hartwick', 'NAME Amelia'],
  ],
  ['iCal', 'ORGANIZER;CN=Amelia Hartwick:mailto:a@x.com', ['NAME Amelia Hartwick']],
  ['a header of mail', 'From: Amelia Hartwick <amelia@x.com>\nSubject: hi', ['NAME Amelia Hartwick']],
  ['Markdown', '- **Name:** Amelia Hartwick\n- **Email:** a@x.com', ['NAME Amelia Hartwick']],
  [
    'YAML in Polish',
    'imie: Zbigniew\nnazwisko: Wróbel\nadres: ul. Długa 12/4',
    ['NAME Zbigniew', 'NAME Wróbel', 'ADDRESS ul. Długa 12/4'],
  ],
  [
    'lines in Japanese',
    '氏名: 佐藤美咲\n住所: 東京都渋谷区神南1-12-3',
    ['NAME 佐藤美咲', 'ADDRESS 東京都渋谷区神南1-12-3'],
  ],
  [
    'rows of HTML',
    '<table><tr><th>Item</th><th>Customer name</th></tr><tr><td>Oak Table</td><td>Amelia Hartwick</td></tr></table>',
    ['NAME Amelia Hartwick'],
  ],
  [
    'SQL',
    "INSERT INTO people (id, full_name, address) VALUES (1, 'Amelia Hartwick', '12 Elm Street')",
    ['NAME Amelia Hartwick', 'ADDRESS 12 Elm Street'],
  ],
  ['an update in SQL', "UPDATE people SET full_name = 'Amelia Hartwick' WHERE id = 3", ['NAME Amelia Hartwick']],
  [
    'HL7',
    'PID|1||77^^^MRN||Hartwick^Amelia||19800322|F|||12 Elm Street^^Springfield\n',
    ['NAME Hartwick', 'NAME Amelia', 'ADDRESS 12 Elm Street^^Springfield'],
  ],
  ['a log', '2026-01-02T03:04:05Z INFO user="Amelia Hartwick" action="Password Reset"', ['NAME Amelia Hartwick']],
  [
    'two elements',
    '<product><name>Garden Chair</name></product><buyer><name>Amelia Hartwick</name></buyer>',
    ['NAME Amelia Hartwick'],
  ],
  [
    'a block of lines',
    'Shipping address:\nAmelia Hartwick\n12 Elm Street\n\nOrder 7',
    ['NAME Amelia Hartwick', 'ADDRESS 12 Elm Street'],
  ],
  [
    'lines with wide colons',
    'お名前：佐藤美咲\n住所：東京都渋谷区神南1-12-3',
    ['NAME 佐藤美咲', 'ADDRESS 東京都渋谷区神南1-12-3'],
  ],
  ['properties', 'customer.fullName=Amelia Hartwick\n', ['NAME Amelia Hartwick']],
  ['roles', 'Reporter: Amelia Hartwick\nOwner: Finance Team\n', ['NAME Amelia Hartwick']],
  ['roles without names', '**Attendees:** QA Lead, Dev Lead, PM\n', []],
  ['things in SQL', "INSERT INTO products (id, name) VALUES (1, 'Walnut Shelf')", []],
  ['a deployment', 'metadata:\n  name: Checkout Api\n  annotations:\n    contact: ops@x.com\n', []],
  ['a workflow', 'name: Build Docs\non: push\njobs:\n  build:\n    name: Run Tests\n', []],
  ['types', 'type User = { fullName: String; name: Some Thing }', []],
  ['code', 'const contact = New Thing(); author: string', []],
  ['an address of memory', 'address: 0x7f3a, street = Null', []],
])('in %s', (_form, text, expected) => {
  expect(found(text)).toEqual(expected);
});

it.each([
  ['{"name": {"first": "Amelia", "last": "Hartwick"}}', ['NAME Amelia', 'NAME Hartwick']],
  ['{"address": {"line": ["12 Elm Street"]}, "code": {"line": "12 Elm Street"}}', ['ADDRESS 12 Elm Street']],
  ['{"assignee": "Amelia Hartwick", "manager": "Cloud Platform"}', ['NAME Amelia Hartwick']],
])('in parts and roles of %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
  expect(detectValue(JSON.parse(text)).map(({ value }) => value)).toEqual(
    expected.map((one) => one.replace(/^\w+ /, '')),
  );
});

it.each([
  ['{"tax_ref":"548-82-4316"}', 'SSN', '548-82-4316'],
  ['PID|1||548-82-4316^^^SSA||', 'SSN', '548-82-4316'],
])('finds in %j %s', (text, type, value) => {
  expect(detectText(text).map((span) => [span.type, text.slice(span.start, span.end)])).toEqual([[type, value]]);
});
