import { describe, expect, it } from 'vitest';
import { detectText } from './text.ts';

/** What was found, as `TYPE value`. */
const found = (text: string) => detectText(text).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`);

describe('what is found', () => {
  it.each([
    ['write to ada.l+x@mail.example.co.uk.', 'EMAIL ada.l+x@mail.example.co.uk'],
    ["o'neil@example.org", "EMAIL o'neil@example.org"],
    ['ada [at] example [dot] org', 'EMAIL ada [at] example [dot] org'],
    ['?mail=ada%40example.org&x', 'EMAIL ada%40example.org'],
    ['Call +44 20 7946 0958 today', 'PHONE +44 20 7946 0958'],
    ['(415) 555-2671 ext. 12', 'PHONE (415) 555-2671 ext. 12'],
    ['Tel: 030/1234567', 'PHONE 030/1234567'],
    ['01.84.17.61.18', 'PHONE 01.84.17.61.18'],
    ['My number to text is 450 0840.', 'PHONE 450 0840'],
    ['電話:0312345678', 'PHONE 0312345678'],
    ['SSN 536-90-4399', 'SSN 536-90-4399'],
    ['ssn is 536904399', 'SSN 536904399'],
    ['pay 4111 1111 1111 1111 now', 'CREDIT_CARD 4111 1111 1111 1111'],
    ['card 676222165679', 'CREDIT_CARD 676222165679'],
    ['378282246310005', 'CREDIT_CARD 378282246310005'],
    ['from 86.121.97.248:443', 'IP 86.121.97.248'],
    ['at 2001:db8:e291:419a:7c38:758b:4944:e53e.', 'IP 2001:db8:e291:419a:7c38:758b:4944:e53e'],
    ['fe80::1ff:fe23:4567:890a', 'IP fe80::1ff:fe23:4567:890a'],
    ['GB82 WEST 1234 5698 7654 32', 'IBAN GB82 WEST 1234 5698 7654 32'],
    ['de89370400440532013000', 'IBAN de89370400440532013000'],
    ['ether 00:1a:2b:3c:4d:5e up', 'MAC 00:1a:2b:3c:4d:5e'],
    ['born on 12 March 1985 in Rome', 'DATE_OF_BIRTH 12 March 1985'],
    ['DOB: 1985-03-12', 'DATE_OF_BIRTH 1985-03-12'],
    [`key ghp_${'a1B2'.repeat(9)}`, `SECRET ghp_${'a1B2'.repeat(9)}`],
    ['postgres://app:s3cr3tpw@db.example/x', 'SECRET s3cr3tpw'],
    ['password = "correct7horse!"', 'SECRET correct7horse!'],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });
});

describe('what is left alone', () => {
  it.each([
    '2024-01-15 12',
    'at 2024-01-15T12:30:00+02:00',
    'order 4155552671 was shipped',
    'version 10.2.3.4',
    '10.2.300.4',
    'react@18.2.0 and @scope/x@1.2.3',
    'git@github.com:acme/x.git',
    'logo@2x.png',
    '0.4111111111111111',
    'tracking number 9400 1118 9956 0000 0000',
    'PN-123-45-6789',
    '000-12-3456',
    'ISBN 978-3-16-148410-0',
    'IMEI 490154203237518',
    'pages 120-135, 1,234,567 people',
    'item 4111 1111 1111 1112',
    '550e8400-e29b-41d4-a716-446655440000',
    'GB82 WEST 1234 5698 7654 33',
    'x[::1] and std::vector and 12:30:45',
    'at 127.0.0.1:8080, mask 255.255.255.0',
    'lat 48.858370, lon 2.294481',
    'password: string',
    'https://api.example.com/contacts?after=4084166400',
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('JSON', () => {
  it('believes keys, for strings and numbers', () => {
    const text = '{"id":4155552671,"phone":4155552671,"sku":"536-90-4399","ssn":"536904399","created_at":1700000000}';
    expect(found(text)).toEqual(['PHONE 4155552671', 'SSN 536904399']);
  });

  it('reads a neutral key by the key above and by what stands beside it', () => {
    expect(found('{"phones":[{"value":"94 72 79 16"}]}')).toEqual(['PHONE 94 72 79 16']);
    expect(found('{"value":"94 72 79 16","type":"phone"}')).toEqual(['PHONE 94 72 79 16']);
    expect(found('{"value":"9472791645","type":"order"}')).toEqual([]);
  });

  it('takes names of persons, and not of things', () => {
    expect(found('{"user":{"name":"Ada Lovelace"},"tool":{"name":"Big Hammer"}}')).toEqual(['NAME Ada Lovelace']);
  });

  it('reads JSON in strings of JSON, with offsets of the whole', () => {
    const text = JSON.stringify({
      content: [{ type: 'text', text: JSON.stringify({ tel: '94 72 79 16', s: 'a"b\\' }) }],
    });
    expect(found(text)).toEqual(['PHONE 94 72 79 16']);
  });

  it('goes on with the rest of a result that was cut off', () => {
    expect(found('{"phone":"94 72 79 16","mail":"ada@example.org","x":"bob@exam')).toEqual([
      'PHONE 94 72 79 16',
      'EMAIL ada@example.org',
    ]);
    expect(found('{"a":1} then ada@example.org')).toEqual(['EMAIL ada@example.org']);
  });
});

it('reads a table by its header', () => {
  expect(found('order_id,tel\n4155552671,4155552671\n4155552672,"94 72 79 16"\n')).toEqual([
    'PHONE 4155552671',
    'PHONE 94 72 79 16',
  ]);
});

describe('odd spellings', () => {
  it.each([
    ['card ４１１１ 1111\u00a01111\u20111111!', '４１１１ 1111\u00a01111\u20111111'],
    ['ssn 5\u200b36\u201190\u20114399.', '5\u200b36\u201190\u20114399'],
    ['phone ٠٣٠ ١٢٣٤٥٦٧', '٠٣٠ ١٢٣٤٥٦٧'],
    ['mail ada＠example．org', 'ada＠example．org'],
    ['😀 ada&#64;example.org 😀', 'ada&#64;example.org'],
  ])('%s', (text, value) => {
    const [span, ...more] = detectText(text);
    expect(more).toEqual([]);
    expect(text.slice(span?.start, span?.end)).toBe(value);
  });
});
