// Generated documents with labels: tool results in JSON, prose, logs, tables, unusual spellings. None is from a data set.
import { finish, mark, markNumber, random, values } from './random.mjs';

const P = (v) => mark('PHONE', v);
const E = (v) => mark('EMAIL', v);
const json = (rng, value) => (rng.chance(0.5) ? JSON.stringify(value) : JSON.stringify(value, null, 2));

/** Results of tools, in the format of well-known APIs. */
const TOOL_RESULTS = [
  // A CRM of contacts
  (r, v) => ({
    results: Array.from({ length: r.int(1, 6) }, () => ({
      id: String(r.int(1e9, 9e9)),
      properties: {
        createdate: v.iso(),
        email: E(v.email()),
        firstname: v.first(),
        lastname: v.last(),
        phone: P(r.chance(0.5) ? v.phone() : v.localPhone()),
        hs_object_id: String(r.int(1e9, 9e9)),
      },
      createdAt: v.iso(),
      archived: false,
    })),
    paging: {
      next: { after: String(r.int(1e9, 9e9)), link: `https://api.example.com/v3/contacts?after=${r.int(1e9, 9e9)}` },
    },
  }),
  // A mail message
  (r, v) => ({
    id: v.sha().slice(0, 16),
    threadId: v.sha().slice(0, 16),
    historyId: String(r.int(1e6, 9e6)),
    internalDate: String(v.epoch() * 1000),
    payload: {
      headers: [
        { name: 'From', value: `${v.name()} <${E(v.email())}>` },
        { name: 'To', value: E(v.email()) },
        { name: 'Message-ID', value: `<CA+${v.sha().slice(0, 20)}@mail.example.com>` },
        { name: 'Date', value: 'Tue, 14 Oct 2025 09:12:44 +0200' },
      ],
    },
    snippet: `Hi, my new number is ${P(v.phone())}, please use it from Monday.`,
    sizeEstimate: r.int(1000, 99999),
  }),
  // Calendar events
  (r, v) => ({
    items: Array.from({ length: r.int(1, 3) }, () => ({
      id: v.sha().slice(0, 26),
      iCalUID: `${v.sha().slice(0, 26)}@google.com`,
      start: { dateTime: v.iso(), timeZone: 'Europe/Paris' },
      attendees: [
        { email: E(v.email()), responseStatus: 'accepted' },
        { email: E(v.email()), displayName: v.name() },
      ],
      location: 'Room 4.12',
      conferenceData: {
        entryPoints: [
          { entryPointType: 'phone', uri: `tel:${P(r.fill('+1-N##-N##-####'))}`, pin: r.fill('#########') },
        ],
      },
    })),
  }),
  // A shop's order
  (r, v) => ({
    order_id: r.int(1e9, 9e9),
    order_number: r.fill('##########'),
    sku: r.fill('###-##-####'),
    tracking_number: r.fill('1Z999AA1##########'),
    tracking: r.fill('9400############'),
    total_price: r.fill('###.##'),
    currency: 'EUR',
    customer: {
      id: r.int(1e12, 9e12),
      email: E(v.email()),
      phone: r.chance(0.4) ? markNumber('PHONE', r.fill('N##N######')) : P(v.phone()),
      name: v.name(),
    },
    billing: {
      card_number: mark('CREDIT_CARD', r.chance(0.5) ? v.card() : v.groupedCard()),
      iban: mark('IBAN', r.chance(0.5) ? v.iban() : v.spacedIban()),
    },
    created_at: v.epoch(),
    upc: r.fill('############'),
    isbn: r.fill('978##########'),
    client_details: { browser_ip: mark('IP', v.ip()), user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/128.0.0.0' },
  }),
  // People of a human resources system
  (r, v) => ({
    employees: Array.from({ length: r.int(1, 4) }, () => ({
      employeeId: r.fill('########'),
      ssn: r.chance(0.3) ? mark('SSN', v.ssn().replaceAll('-', '')) : mark('SSN', v.ssn()),
      workEmail: E(v.email()),
      mobilePhone: P(v.localPhone()),
      homePhone: null,
      salary: r.int(30000, 200000),
      bankAccount: { iban: mark('IBAN', v.iban()), bic: r.fill('AAAADEFFXXX') },
      hiredOn: '2021-04-01',
      costCenter: r.fill('#####-##-####'),
    })),
  }),
  // Rows of a database
  (r, v) => ({
    columns: ['id', 'contact_email', 'tel_no', 'last_login_ip', 'version'],
    rows: Array.from({ length: r.int(1, 5) }, () => ({
      id: r.int(1e6, 9e9),
      contact_email: E(v.email()),
      tel_no: P(v.phone()),
      last_login_ip: mark('IP', v.ip()),
      version: `10.${r.int(0, 9)}.${r.int(0, 255)}.${r.int(0, 9)}`,
      lat: Number(r.fill('4#.######')),
      lng: Number(r.fill('-7#.######')),
    })),
  }),
  // Access log entries
  (r, v) =>
    Array.from({ length: r.int(2, 6) }, () => ({
      ts: v.epoch() * 1000,
      request_id: v.uuid(),
      remote_addr: mark('IP', v.ip()),
      method: 'GET',
      path: `/v1/orders/${r.int(1e9, 9e9)}`,
      status: 200,
      duration_ms: r.int(1, 900),
      bytes: r.int(1e3, 1e9),
      trace: v.sha(),
    })),
  // Packages and commits, without personal data
  (r, v) => ({
    name: 'left-pad',
    version: '10.2.300.4',
    dist: {
      shasum: v.sha(),
      integrity: `sha512-${v.sha()}==`,
      tarball: 'https://host.example/left-pad/-/left-pad-1.3.0.tgz',
    },
    repository: 'git@github.com:acme/left-pad.git',
    dependencies: { '@scope/x': '^1.2.3', 'pkg@1.2.3': '2.0.0' },
    time: { modified: v.iso() },
    gitHead: v.sha(),
    _id: 'left-pad@1.3.0',
    downloads: r.int(1e9, 9e9),
    build: r.fill('20240115.####.##'),
  }),
  // Products and numbers, without personal data
  (r, v) => ({
    items: Array.from({ length: r.int(2, 6) }, () => ({
      id: v.uuid(),
      sku: r.fill('###-##-####'),
      part_number: r.fill('###-###-####'),
      ean: r.fill('#############'),
      serial: r.fill('###############'),
      imei: r.fill('35#############'),
      price: Number(r.fill('##.##')),
      lat: Number(r.fill('##.#######')),
      updated_at: v.epoch(),
      snowflake_id: r.fill('1##################'),
      dimensions: r.fill('###-###-##'),
      ref: r.fill('N##-N##-####'),
    })),
  }),
  // Phones as objects and lists
  (r, v) => ({
    resourceName: `people/c${r.fill('###################')}`,
    etag: v.sha().slice(0, 20),
    emailAddresses: [{ metadata: { primary: true }, value: E(v.email()) }],
    phoneNumbers: [{ value: P(v.localPhone()), canonicalForm: P(r.fill('+4477########')), type: 'mobile' }],
    phones: [P(v.phone()), P(v.localPhone())],
    contactPoints: [
      { system: 'phone', value: P(v.localPhone()), use: 'home' },
      { system: 'email', value: E(v.email()) },
    ],
    fields: [
      { name: 'Phone', value: P(v.localPhone()) },
      { name: 'Order', value: r.fill('##########') },
    ],
  }),
  // JSON in a text block: a result of an MCP server
  (r, v) => ({
    content: [
      {
        type: 'text',
        text: JSON.stringify({
          user: {
            email: E(v.email()),
            phone: P(v.localPhone()),
            id: r.int(1e9, 9e9),
            note: `Prefers a call at ${P(v.phone())} after 17:00`,
          },
        }),
      },
    ],
    isError: false,
  }),
  // Tickets with prose
  (r, v) => ({
    ticket_id: r.int(1e6, 9e9),
    subject: `Refund for order ${r.fill('##########')}`,
    description: `Customer ${v.name()} (${E(v.email())}) paid with card ${mark('CREDIT_CARD', v.groupedCard())} on 2024-01-15 12:30. Call back on ${P(v.localPhone())}. SSN on file: ${mark('SSN', v.ssn())}. Tracking ${r.fill('1Z999AA1##########')}.`,
    custom_fields: [{ id: r.int(1e10, 9e10), value: r.fill('########') }],
    created: v.epoch(),
  }),
  // Payments
  (r, v) => ({
    object: 'charge',
    id: `ch_${v.sha().slice(0, 24)}`,
    amount: r.int(100, 99999),
    created: v.epoch(),
    billing_details: { email: E(v.email()), phone: P(v.phone()) },
    payment_method_details: {
      card: {
        last4: r.fill('####'),
        exp_year: 2028,
        fingerprint: v.sha().slice(0, 16),
        number: mark('CREDIT_CARD', v.card()),
      },
      sepa_debit: { iban: mark('IBAN', v.iban()) },
    },
    receipt_number: r.fill('####-####'),
    balance_transaction: `txn_${r.fill('##########')}`,
  }),
  // Devices
  (r, v) => ({
    devices: Array.from({ length: r.int(1, 4) }, () => ({
      ipAddress: mark('IP', v.ip()),
      ips: [mark('IP', v.ip())],
      firmware: `2.${r.int(0, 20)}.${r.int(0, 20)}.${r.int(0, 9)}`,
      uptime: r.int(1e6, 9e9),
      serialNumber: r.fill('##########'),
      contact: E(v.email()),
    })),
  }),
];

const CALLS = [
  'Call me at %',
  'My phone number is %',
  'You can reach her on %.',
  'Phone: %',
  'Tel. % (office hours)',
  'Please text % when you arrive',
  'Mobile: %',
  'Fax %',
  'his cell is %, thanks',
  'Ruf mich an: Handy %',
  'Mon numéro de téléphone est le %',
  'Mi teléfono es %',
  'contact us on %',
  'WhatsApp %',
  'Is % still your number? I tried to call %',
];
const PROSE = [
  (r, v) => r.pick(CALLS).replaceAll('%', () => P(r.chance(0.5) ? v.phone() : v.localPhone())),
  (_r, v) => `${v.name()}, ${P(v.phone())}, ${E(v.email())}`,
  (r, v) => `Please charge my card ${mark('CREDIT_CARD', r.chance(0.5) ? v.card() : v.groupedCard())}, expiry 09/27.`,
  (_r, v) => `${mark('CREDIT_CARD', v.groupedCard())} was declined twice.`,
  (r, v) => `My social security number is ${mark('SSN', r.chance(0.7) ? v.ssn() : v.ssn().replaceAll('-', ' '))}.`,
  (_r, v) => `SSN ${mark('SSN', v.ssn())}, born in 1980`,
  (r, v) => `Transfer it to ${mark('IBAN', r.chance(0.5) ? v.iban() : v.spacedIban())} today.`,
  (_r, v) => `IBAN: ${mark('IBAN', v.iban().toLowerCase())}`,
  (_r, v) => `The request came from ${mark('IP', v.ip())} at 12:30.`,
  (_r, v) => `Login failed for user at ${mark('IP', v.ip())}:443, then from [${mark('IP', v.ip())}]`,
  (_r, v) => `Write to ${E(v.email())} or ${E(v.email())}.`,
  (r, _v) =>
    `Your order ${r.fill('##########')} of 2024-01-15 12:30 has shipped, tracking number ${r.fill('#### #### ####')}.`,
  (r) =>
    `In version 10.${r.int(0, 9)}.${r.int(0, 9)}.4 we fixed ${r.int(100, 999)} bugs; see pages 120-135 and ISBN ${r.fill('978-3-##-######-#')}.`,
  (r) =>
    `Population grew from ${r.fill('# ### ###')} to ${r.fill('#,###,###')} between 1990-2010, at ${r.fill('##.####')} percent. Invoice no. ${r.fill('########')} is due.`,
  (_r, v) => `Best regards\n${v.name()}\nT: ${P(v.phone())}\nM: ${P(v.localPhone())}\nE: ${E(v.email())}`,
];
const LINES = [
  (r, v) =>
    `${v.iso()} INFO client=${mark('IP', v.ip())} user=${E(v.email())} order=${r.fill('##########')} took=${r.int(1, 999)}ms trace=${v.sha()}`,
  (r, v) =>
    `${mark('IP', v.ip())} - - [14/Oct/2025:09:12:44 +0200] "GET /a/${r.fill('##########')}?e=${v.uuid()} HTTP/1.1" 200 ${r.int(100, 99999)}`,
  (r, v) => `[${v.epoch()}.123] WARN sms to phone=${P(v.phone())} failed, message id ${r.fill('##########')}`,
];
const ODD = [
  (_r, v) => `write to ${E(v.email().replace('@', ' [at] ').replaceAll('.', ' [dot] '))} please`,
  (_r, v) => `mail ${E(v.email().replace('@', '＠'))}`,
  (_r, v) => `card ${mark('CREDIT_CARD', [...v.card()].join('\u200b'))}`,
  (_r, v) => `card ${mark('CREDIT_CARD', v.groupedCard().replaceAll(/[ -]/g, '\u00a0'))}`,
  (_r, v) => `ssn ${mark('SSN', v.ssn().replaceAll('-', '\u2011'))}`,
  (_r, v) => `call ${P(v.phone().replaceAll('-', '\u2013').replaceAll(' ', '\u202f'))}`,
  (_r, v) =>
    `SSN ${mark(
      'SSN',
      v.ssn().replace(/\d/g, (d) => String.fromCharCode(0xff10 + Number(d))),
    )}`,
  (r, _v) => `phone ${P(r.fill('+1 N## N## ####').replace(/\d/g, (d) => String.fromCharCode(0x660 + Number(d))))}`,
  (_r, v) => `https://x.example/?mail=${E(v.email().replace('@', '%40'))}&a=1`,
  (_r, v) => `ip ${mark('IP', v.ip().replaceAll('.', '\uff0e'))}`,
  (_r, v) => `iban ${mark('IBAN', v.iban().replace(/(.{4})(?=.)/g, '$1-'))}`,
  (_r, v) => `<a href="mailto:${E(v.email())}">x</a> &#43;1`,
  (_r, v) => `card no. ${mark('CREDIT_CARD', v.groupedCard().replaceAll(/[ -]/g, '.'))}`,
];

const SCORED = ['EMAIL', 'PHONE', 'SSN', 'CREDIT_CARD', 'IP', 'IBAN'];

function table(rng, v) {
  const separator = rng.pick([',', ';', '\t']);
  const rows = Array.from({ length: rng.int(2, 8) }, () =>
    [
      rng.int(1e9, 9e9),
      v.name(),
      E(v.email()),
      P(rng.chance(0.5) ? v.localPhone() : v.phone()),
      v.epoch(),
      mark('IP', v.ip()),
    ].join(separator),
  );
  return `${['customer_id', 'name', 'email', 'phone', 'created_at', 'ip'].join(separator)}\n${rows.join('\n')}\n`;
}

const FAMILIES = {
  json: (rng, v, index) => json(rng, TOOL_RESULTS[index % TOOL_RESULTS.length](rng, v)),
  prose: (rng, v, index) => PROSE[index % PROSE.length](rng, v),
  logs: (rng, v) => Array.from({ length: rng.int(1, 5) }, () => rng.pick(LINES)(rng, v)).join('\n'),
  tables: (rng, v) => table(rng, v),
  odd: (rng, v, index) => ODD[index % ODD.length](rng, v),
};
export const FAMILY_NAMES = Object.keys(FAMILIES);

/** Returns labelled documents of one family. Values and variants depend on the seed. */
export function documents(family, count, seed) {
  const rng = random(seed);
  const v = values(rng);
  return Array.from({ length: count }, (_, index) => ({
    id: `${family}:${seed}:${index}`,
    ...finish(FAMILIES[family](rng, v, index)),
    scored: SCORED,
  }));
}
