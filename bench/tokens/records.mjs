// The records of the fixture servers at the start of each task: customers, orders, tickets, meetings.
import { day, repeat, seededRandom } from './random.mjs';

const FIRST =
  'Ada Bela Chiara Dmitri Elif Femi Grace Hugo Ines Jonas Kaya Luca Mira Noor Olga Pavel Quinn Rosa Samir Tess'.split(
    ' ',
  );
const LAST =
  'Abe Brandt Costa Duarte Eriksen Fontaine Gallo Hartmann Ivanova Jensen Kovacs Lindqvist Moreau Novak Okafor'.split(
    ' ',
  );
const CITIES = ['Lyon', 'Porto', 'Bergen', 'Graz', 'Leipzig', 'Turin', 'Utrecht', 'Aarhus', 'Malmo', 'Gdansk'];
const COMPANY = [
  'Logistics',
  'Foods',
  'Systems',
  'Textiles',
  'Energy',
  'Dental',
  'Robotics',
  'Books',
  'Optics',
  'Tools',
];
export const MANAGERS = ['ines.moreau', 'jonas.hartmann', 'kaya.okafor', 'luca.gallo', 'mira.novak'];
const SUBJECTS = [
  'Invoice shows the wrong address',
  'Export stops at 65,536 rows',
  'Login loops after the password reset',
  'Webhook is delivered twice',
  'Report is empty on Mondays',
  'Charts overlap on small screens',
];
const SENTENCES = [
  'It began after the update of last week.',
  'Restarting does not help.',
  'We see it in two of three regions.',
  'The customer expects an answer today.',
  'A workaround is to use the old form.',
  'Nothing is in the logs.',
  'It happens about once an hour.',
  'Screenshots are attached to the mail.',
];

export function makeRecords() {
  const random = seededRandom(20260301);
  const customers = repeat(300, (index) => {
    const name = `${random.pick(LAST)} ${random.pick(COMPANY)}`;
    const person = `${random.pick(FIRST)} ${random.pick(LAST)}`;
    return {
      id: `C-${1001 + index}`,
      name,
      contact: person,
      email: `${person.toLowerCase().replace(' ', '.')}@${name.toLowerCase().replace(' ', '-')}.example`,
      segment: random.pick(['enterprise', 'business', 'business', 'starter', 'starter']),
      city: random.pick(CITIES),
      accountManager: random.chance(0.15) ? null : random.pick(MANAGERS),
      createdAt: day(2022, random.whole(0, 1_200)),
    };
  });
  const orders = repeat(420, (index) => {
    const items = repeat(random.whole(1, 4), () => ({
      sku: `SKU-${random.whole(100, 999)}`,
      quantity: random.whole(1, 20),
      unitPrice: random.whole(5, 400),
    }));
    return {
      id: `O-${50_001 + index}`,
      customerId: random.pick(customers).id,
      date: day(2025, 180 + Math.floor(index / 2) + random.whole(0, 20)),
      status: random.pick([
        'pending',
        'paid',
        'shipped',
        'shipped',
        'delivered',
        'delivered',
        'delivered',
        'cancelled',
      ]),
      items,
      total: items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0),
      currency: 'EUR',
      note: '',
    };
  });
  const tickets = repeat(180, (index) => {
    const customer = random.pick(customers);
    return {
      key: `T-${101 + index}`,
      subject: random.pick(SUBJECTS),
      body: repeat(random.whole(3, 6), () => random.pick(SENTENCES)).join(' '),
      state: random.pick(['open', 'open', 'waiting', 'closed', 'closed']),
      sev: random.pick([1, 2, 2, 3, 3, 3, 4]),
      tags: [...new Set(repeat(random.whole(0, 2), () => random.pick(['billing', 'outage', 'mobile', 'api', 'sso'])))],
      reporter: { customerId: customer.id, email: customer.email },
      assignee: random.chance(0.2) ? null : random.pick(MANAGERS),
      opened: day(2026, random.whole(0, 58)),
      comments: [],
    };
  });
  const events = repeat(90, (index) => ({
    id: `E-${9_001 + index}`,
    title: random.pick(['Quarterly review', 'Planning', 'Customer call', 'Retrospective', 'Hiring panel', 'Budget']),
    start: `${day(2026, 40 + random.whole(0, 50))}T${String(random.whole(8, 16)).padStart(2, '0')}:00`,
    minutes: random.pick([30, 45, 60, 90]),
    attendees: [...new Set([random.pick(MANAGERS), random.pick(MANAGERS)])],
  }));
  return { crm: { customers, orders, notes: [] }, tickets, calendar: events };
}
