import { describe, expect, it } from 'vitest';
import { detectText } from './text.ts';

/** Returns the findings as `TYPE value`. */
const found = (text: string) => detectText(text).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`);

describe('values that are found', () => {
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
    ['at 2a02:db8:e291:419a:7c38:758b:4944:e53e.', 'IP 2a02:db8:e291:419a:7c38:758b:4944:e53e'],
    ['2a00:1450::1ff:fe23:4567:890a', 'IP 2a00:1450::1ff:fe23:4567:890a'],
    ['GB82 WEST 1234 5698 7654 32', 'IBAN GB82 WEST 1234 5698 7654 32'],
    ['de89370400440532013000', 'IBAN de89370400440532013000'],
    ['AO06004400006729503010102', 'IBAN AO06004400006729503010102'],
    ['MA64 0115 1900 0001 2050 0053 4921', 'IBAN MA64 0115 1900 0001 2050 0053 4921'],
    ['ether 00:1a:2b:3c:4d:5e up', 'MAC 00:1a:2b:3c:4d:5e'],
    ['born on 12 March 1985 in Rome', 'DATE_OF_BIRTH 12 March 1985'],
    ['DOB: 1985-03-12', 'DATE_OF_BIRTH 1985-03-12'],
    [`key ghp_${'a1B2'.repeat(9)}`, `SECRET ghp_${'a1B2'.repeat(9)}`],
    ['postgres://app:s3cr3tpw@db.example/x', 'SECRET s3cr3tpw'],
    ['password = "correct7horse!"', 'SECRET correct7horse!'],
    ['card 5543_2500_0117_5664', 'CREDIT_CARD 5543_2500_0117_5664'],
    ['tel: +1_279_576_1083', 'PHONE +1_279_576_1083'],
    ['87 dot 175 dot 45 dot 86', 'IP 87 dot 175 dot 45 dot 86'],
    ['<SSN></SSN><CardNumber>373349260378633</CardNumber>', 'CREDIT_CARD 373349260378633'],
    ['Rückfragen: 089 / 76 05 88 23.', 'PHONE 089 / 76 05 88 23'],
    ['tél. : 03 88 46 80 14', 'PHONE 03 88 46 80 14'],
    ['mailto:x or ring <b>429-352-4018</b>', 'PHONE 429-352-4018'],
    ['0x53534e203239392d30372d32313839', 'SSN 53534e203239392d30372d32313839'],
    ['4111 1111 1111 1111 12/27', 'CREDIT_CARD 4111 1111 1111 1111'],
    ['T. 94 72 79 16', 'PHONE 94 72 79 16'],
    ['TEL;TYPE=WORK,VOICE:06-90068503', 'PHONE 06-90068503'],
    ['Old cell (0171/6723108)', 'PHONE 0171/6723108'],
    ['card 4 1 1 1 - 1 1 1 1 - 1 1 1 1 - 1 1 1 1', 'CREDIT_CARD 4 1 1 1 - 1 1 1 1 - 1 1 1 1 - 1 1 1 1'],
    ['ssn 5 3 6 9 0 4 3 9 9', 'SSN 5 3 6 9 0 4 3 9 9'],
    ['jane [dot] doe [at] example [dot] com', 'EMAIL jane [dot] doe [at] example [dot] com'],
    ['jane doe at example dot com', 'EMAIL doe at example dot com'],
    ['jane@example[.]com', 'EMAIL jane@example[.]com'],
    ['To: jane.doe=40example.com', 'EMAIL jane.doe=40example.com'],
    ['from 215[.]29[.]158[.]101', 'IP 215[.]29[.]158[.]101'],
    ['x amFuZS5kb2VAZXhhbXBsZS5jb20= y', 'EMAIL amFuZS5kb2VAZXhhbXBsZS5jb20='],
    ['x 6a616e6540657868616d706c652e636f6d y', 'EMAIL 6a616e6540657868616d706c652e636f6d'],
    ['id=c3NuOiA1MzYtOTAtNDM5OQ', 'SSN c3NuOiA1MzYtOTAtNDM5OQ'],
    ['AA-BB-CC-11-22-33 up', 'MAC AA-BB-CC-11-22-33'],
    ['A4-5E-60-C1-22-3F', 'MAC A4-5E-60-C1-22-3F'],
    ['port a45e.60c1.223f dynamic', 'MAC a45e.60c1.223f'],
    ['MAC address: A45E60C1223F', 'MAC A45E60C1223F'],
    ['mac 00 1A 2B 3C 4D 5E', 'MAC 00 1A 2B 3C 4D 5E'],
    ['00:1A:2B:FF:FE:3C:4D:5E', 'MAC 00:1A:2B:FF:FE:3C:4D:5E'],
    ['почта@пример.рф', 'EMAIL почта@пример.рф'],
    ['用户@例子.公司', 'EMAIL 用户@例子.公司'],
    ['안녕@회사.한국', 'EMAIL 안녕@회사.한국'],
    ['てすと@例え.テスト', 'EMAIL てすと@例え.テスト'],
    ['请联系wang@x.com。谢谢', 'EMAIL wang@x.com'],
    ['+999 12 345 6789', 'PHONE +999 12 345 6789'],
    ['phone: +999123456789', 'PHONE +999123456789'],
    ['{"password":"sunshine77"}', 'SECRET sunshine77'],
    ['{"password":"welcome"}', 'SECRET welcome'],
    ['{"token":"zqkfyvbnmwpx"}', 'SECRET zqkfyvbnmwpx'],
    ['{"cc":"4222222222222"}', 'CREDIT_CARD 4222222222222'],
    ['{"card_number8":"4222222222222"}', 'CREDIT_CARD 4222222222222'],
    ['{"phone1":"94 72 79 16"}', 'PHONE 94 72 79 16'],
    ['phone 415-555-2671, NPI 1234567893', 'PHONE 415-555-2671'],
    [
      'Call me at four one five, five five five, two six seven one.',
      'PHONE four one five, five five five, two six seven one',
    ],
    [
      'area code four one five, five five five, twenty six seventy one',
      'PHONE four one five, five five five, twenty six seventy one',
    ],
    [
      'it is nine seven two... five five five... oh one two three',
      'PHONE nine seven two... five five five... oh one two three',
    ],
    [
      'five five five dash one two three dash four five six seven',
      'PHONE five five five dash one two three dash four five six seven',
    ],
    ['five-five-five, oh-one-two-three is my phone', 'PHONE five-five-five, oh-one-two-three'],
    [
      'card forty one eleven, eleven eleven, eleven eleven, eleven eleven',
      'CREDIT_CARD forty one eleven, eleven eleven, eleven eleven, eleven eleven',
    ],
    ['my social is five three six nine oh four three nine nine', 'SSN five three six nine oh four three nine nine'],
    ['it is double five five oh four one two six seven one', 'PHONE double five five oh four one two six seven one'],
    ['one eight hundred five five five oh one nine nine', 'PHONE one eight hundred five five five oh one nine nine'],
    [
      'card four one one one one one one one one one one one one one one one',
      'CREDIT_CARD four one one one one one one one one one one one one one one one',
    ],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });
});

it.each([
  `sk-admin-${'aB3_'.repeat(40)}`,
  `xoxe-1-${'aB3d'.repeat(35)}`,
  `shpca_${'0a1b'.repeat(8)}`,
  `ops_eyJ${'aB3/'.repeat(60)}fQ==`,
  `AccountKey=${'aB3/'.repeat(21)}aB==`,
  `dt0c01.${'AB23'.repeat(6)}.${'AB23'.repeat(16)}`,
  `dp.pt.${'aB3d'.repeat(10)}aB3`,
  `https://discord.com/api/webhooks/123456789012345678/${'aB3_'.repeat(17)}`,
  `glsa_${'aB3d'.repeat(8)}_0a1b2c3d`,
  `key-${'0a1b'.repeat(8)}`,
  `NRAK-${'AB3'.repeat(9)}`,
  `pplx-${'aB3d'.repeat(12)}`,
  `pscale_tkn_${'aB3-'.repeat(10)}aB3`,
  `pul-${'0a1b'.repeat(10)}`,
  `r8_${'aB3d'.repeat(9)}a`,
  `sntrys_eyJ${'aB3_'.repeat(30)}`,
  `sbp_${'0a1b'.repeat(10)}`,
  `xai-${'aB3d'.repeat(20)}`,
])('finds the secret %s', (secret) => {
  expect(found(`The value ${secret}, and no more.`)).toEqual([`SECRET ${secret.replace('https://', '')}`]);
});

const A = (length: number) => 'aB3dE6gH9'.repeat(70).slice(0, length);
const HEX = (length: number) => '0a1b2c3d4e5f'.repeat(20).slice(0, length);
const UUID = '0a1b2c3d-4e5f-4a1b-8c3d-4e5f0a1b2c3d';

it.each([
  `SG.${A(66)}`,
  `dt0s01.${'AB23'.repeat(6)}.${'AB23'.repeat(16)}`,
  `dp.scim.${A(43)}`,
  `glft-${A(20)}`,
  `GR1348941${A(20)}`,
  `LTAI${A(20)}`,
  `sm_pat_${A(16)}`,
  `rzp_live_${A(16)}`,
  `API-${A(26)}`,
  `ATBB${A(32)}`,
  `dckr_pat_${A(27)}`,
  `CFPAT-${A(43)}`,
  `phx_${A(43)}`,
  `duffel_live_${A(43)}`,
  `sha256~${A(43)}`,
  `sq0csp-${A(43)}`,
  `HRKU-${A(60)}`,
  `tfp_${A(59)}`,
  `CCIPAT_${A(60)}`,
  `EZAK${A(54)}`,
  `CLOJARS_${A(60)}`,
  `AKCp${A(69)}`,
  `rdme_${A(70)}`,
  `sqp_${HEX(40)}`,
  `sgp_${HEX(40)}`,
  `doo_v1_${HEX(64)}`,
  `rubygems_${HEX(48)}`,
  `shippo_live_${HEX(40)}`,
  `ATATT3xFfGF0${A(180)}`,
  `fm2_${A(100)}`,
  `glc_eyJ${A(80)}`,
  `EAAG${A(120)}`,
  `access-production-${UUID}`,
  `pat-na1-${UUID}`,
  `SK${HEX(32)}`,
  `tskey-auth-${A(12)}-${A(32)}`,
  `re_${A(8)}_${A(24)}`,
  `xkeysib-${HEX(64)}-${A(16)}`,
  `pat.${A(22)}.${HEX(24)}.${A(20)}`,
  `NRII-${A(32)}`,
  `tk-us-${A(48)}`,
  `lsv2_pt_${A(43)}`,
  `nvapi-${A(64)}`,
  `apify_api_${A(40)}`,
])('finds the key %s', (secret) => {
  expect(found(`The value ${secret}, and no more.`)).toEqual([`SECRET ${secret}`]);
  expect(found(`x${secret}y`)).toEqual([]);
});

it.each([
  ['log in with password Tr0ub4dor&3.', 'Tr0ub4dor&3'],
  ['Use the password hunter2, please', 'hunter2'],
  ['user admin and password "Secr3t!x"', 'Secr3t!x'],
  ['Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l', 'YWxhZGRpbjpvcGVuc2VzYW1l'],
  ["curl -X GET -u admin:s3cr3tPw 'https://example.org'", 's3cr3tPw'],
  ['curl --user "pw:pw1234" https://example.org', 'pw1234'],
  [`set("api_token", "${A(24)}")`, A(24)],
  [`<secret>${A(24)}</secret>`, A(24)],
  [`token := \`${A(24)}\``, A(24)],
  [`"{\\"token\\": \\"${A(24)}\\"}"`, A(24)],
  [`consumer_key => '${A(24)}'`, A(24)],
  [`SIGNING_KEY ?= ${A(24)}`, A(24)],
  [`bot 123456789:AA${A(33)}`, `AA${A(33)}`],
  [`${A(14)}.atlasv1.${A(67)}`, A(67)],
])('finds the secret in %s', (text, secret) => {
  expect(found(text)).toEqual([`SECRET ${secret}`]);
});

it('finds values of a long text in base64 at the end of a piece', () => {
  for (const before of [7_470, 7_480, 7_490, 7_497]) {
    const text = `${'All is plain here. '.repeat(400).slice(0, before)} ada.lovelace@analytical.example.org ${'So is this. '.repeat(900)}`;
    const encoded = Buffer.from(text).toString('base64');
    const whole = detectText(encoded).reduce(
      (left, { start, end }) => left.slice(0, start) + ' '.repeat(end - start) + left.slice(end),
      encoded,
    );
    expect(Buffer.from(whole.trim().replace(/ +/g, ''), 'base64').toString()).not.toMatch(/lovelace|analytical/);
  }
});

it('reads across the soft line breaks of quoted-printable', () => {
  expect(found('From: ada.lovelace=\r\n@example.org')).toEqual(['EMAIL ada.lovelace=\r\n@example.org']);
  expect(found('From: ada.love=\nlace@example.org')).toEqual(['EMAIL ada.love=\nlace@example.org']);
});

describe('texts without findings', () => {
  it.each([
    '"secret_scanning_push_protection_enabled_for_new_repositories": false',
    'apiKey: SensitiveString2048;',
    'export type MqttPassword = Buffer|Uint8Array|Blob|string;',
    'The month of birth, between 1 and 12.',
    '"ssh_url": "org-6811672@github.com:octo-org/octo-repo.git"',
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
    'NL69 9123 4567 8901 23',
    'x[::1] and std::vector and 12:30:45',
    'at 127.0.0.1:8080, mask 255.255.255.0',
    'lat 48.858370, lon 2.294481',
    'password: string',
    'in the format +1234567890 or +12345678900',
    '{"state":{"default":"open","type":"string"},"region":{"value":"us-east"}}',
    '{"input_token":"Marker","token":"nextToken","accessKey":"accessKeyId","secret":"super-secret-key"}',
    '{"apiKey":"YOUR_API_KEY_HERE","authorization":"Bearer YOUR_TOKEN_HERE","token":"example_token"}',
    '{"AccessKeyId":"AKIAIOSFODNN7EXAMPLE","SecretAccessKey":"wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY"}',
    '{"author":{"name":"CopilotKit"}}',
    'const METADATA_TOKEN = "x-aws-ec2-metadata-token";',
    '{"name":"MYSQL_ROOT_PASSWORD","value":"password"}',
    '{"credentials":"include","cookie":["./dist/types/helper/cookie"]}',
    'order number one two three four five six seven eight nine zero',
    'one two three testing, from one to ten, six fish and five birds, thirty five, forty two',
    'range 12-34-56-78-90-12-34, date 2024-01-15, hash deadbeef1234 and 3.1415.9265.3589',
    '+ 3864292196 and x+12345678',
    'Basic Authentication and Basic YWJjZGVmZ2hpamtsbW5v',
    'with password sha256, a password policy4 and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'sort -u admin:s3cr3tPw',
    'NPI 1234567893 or MRN 415-555-2671',
    '{"npi":"4155552671","mrn":"415-555-2671"}',
    'z.object({ token: z2.string() })',
    "{ user: 'ada', password: 'secret123' }",
    'redis://username:authpassword@cache:6379',
    'update V8 to 10.8.168.25',
    'ObjectIdentifier("2.5.29.15")',
    'c3.51 2.12 3.51.98.32 2.03',
    '10.0.0.0/8 and 192.0.2.128/25',
    'text-utils 2000-2001',
    '- Embedding, Text\n- 6337688: feat',
    'C++14 20.8.2.2.4',
    'aes256-gcm@openssh.com',
    '1 2 3 4 5 6 7 8 9 10 11 12',
    'index 3cf697d..4181760 100644',
    '6481 1687 5127 6402 1367 2074 4356 6481',
    '5a c3 35 ea 06 26 83 36 66 f2 c3',
    'bb61 be66 202f 19c3 4152 3318',
    "'8fd29cc9', NULL, 2103942446410, ",
    'e.token=t.key;b=[3016370524,5641586656]',
    'UID:887c99aafcc20b2ead0de193ce@google.com',
    'part 007-582-6960 under PO 6700158902',
    'const MAX = 1_000_000_000;',
    'sum=4004267796214431 limit=40',
    'commit 9d1c2f4e8b6a7c5d3e1f0a9b8c7d6e5f4a3b2c1d',
    'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4',
    'https://api.example.com/contacts?after=4084166400',
    'at 10.0.0.5, 10.20.30.40, 172.16.254.3, 192.168.178.20 and 169.254.169.254',
    'examples: 192.0.2.44, 198.51.100.17, 203.0.113.73, 100.64.99.1, 198.18.200.3, 239.255.255.250',
    '[fe80::1ff:fe23:4567:890a] [fd12:3456:789a::1] [2001:db8:85a3::8a2e:370:7334] [ff02::1:ff00:42]',
    '::ffff:192.168.77.44, ::ffff:127.0.0.1, 64:ff9b::10.1.200.3, 2002:c0a8:101:22::1',
    '{"client_ip":"10.44.55.66","ip":"192.168.33.44","remoteAddress":"::ffff:10.44.55.66"}',
    'ip address 192.168.33.44',
    'in the format name@example.com or "your.email@example.org", user@host.invalid',
    'requests==2.131.100.40 and numpy ~=31.200.44.50',
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('JSON', () => {
  it('uses keys, for strings and numbers', () => {
    const text = '{"id":4155552671,"phone":4155552671,"sku":"536-90-4399","ssn":"536904399","created_at":1700000000}';
    expect(found(text)).toEqual(['PHONE 4155552671', 'SSN 536904399']);
  });

  it('reads a neutral key by its parent and its siblings', () => {
    expect(found('{"phones":[{"value":"94 72 79 16"}]}')).toEqual(['PHONE 94 72 79 16']);
    expect(found('{"value":"94 72 79 16","type":"phone"}')).toEqual(['PHONE 94 72 79 16']);
    expect(found('{"value":"9472791645","type":"order"}')).toEqual([]);
  });

  it('finds names of persons, and not of things', () => {
    expect(found('{"user":{"name":"Ada Lovelace"},"tool":{"name":"Big Hammer"}}')).toEqual(['NAME Ada Lovelace']);
  });

  it('finds an IPv6 address in one string and keeps findings in others', () => {
    const text = '{"a":"ada@example.org","b":"from 2a02:db8:ad8e:f79f:75e3:7f:e599:33e, call +44 20 7946 0958"}';
    expect(found(text)).toEqual([
      'EMAIL ada@example.org',
      'IP 2a02:db8:ad8e:f79f:75e3:7f:e599:33e',
      'PHONE +44 20 7946 0958',
    ]);
  });

  it('uses the system of an identifier as its type', () => {
    expect(found('{"system":"http://hl7.org/fhir/sid/us-ssn","value":"536904399"}')).toEqual(['SSN 536904399']);
    expect(found('{"value":"536904399","system":"urn:oid:2.16.840.1.113883.4.1"}')).toEqual(['SSN 536904399']);
  });

  it('finds numbers only under known keys', () => {
    const text =
      '{"ssn":536904399,"card_number":4111111111111111,"phone":4155552671,"id":536904399,"price":4111111111111111,"at":1700000000}';
    expect(found(text)).toEqual(['SSN 536904399', 'CREDIT_CARD 4111111111111111', 'PHONE 4155552671']);
  });

  it('reads JSON in strings of JSON, with offsets of the whole', () => {
    const text = JSON.stringify({
      content: [{ type: 'text', text: JSON.stringify({ tel: '94 72 79 16', s: 'a"b\\' }) }],
    });
    expect(found(text)).toEqual(['PHONE 94 72 79 16']);
  });

  it('reads the rest of a truncated result', () => {
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

describe('IPv6 addresses with a port', () => {
  // A reader that returned to its start position would never end.
  it.each([
    ['[2a02:db8:85a3::8a2e:370:7334]:443', ['IP 2a02:db8:85a3::8a2e:370:7334']],
    ['2a02:db8:85a3:1:2:8a2e:370:7334:443 up', ['IP 2a02:db8:85a3:1:2:8a2e:370:7334']],
    ['::ffff:86.121.97.248:443', ['IP ::ffff:86.121.97.248']],
    ['2a02:db8::1:80: 2a02:db8::2:80:', ['IP 2a02:db8::1:80', 'IP 2a02:db8::2:80']],
    ['1:2:3:4:5:6:7:8:9:10:11', []],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual(expected);
    expect(found(text.repeat(2_000)).length).toBeLessThanOrEqual(8_000);
  });
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
