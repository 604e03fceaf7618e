// The files and the knowledge graph at the start of each task.
import { day, repeat, seededRandom } from './random.mjs';

const REGIONS = ['north', 'south', 'east', 'west', 'centre'];
const ENDPOINTS = ['/checkout', '/search', '/login', '/cart', '/profile', '/health'];
const SERVICES = ['auth', 'billing', 'cart', 'catalog', 'checkout', 'email', 'images', 'orders', 'search', 'stock'];

/** Creates the texts of the files, by path. */
export function makeFiles({ crm, tickets }) {
  const random = seededRandom(7);
  const files = {
    'notes/office.txt':
      'Office, third floor\nDoor code: 4471#\nWifi guest: maple-leaf\nCleaning on Tuesdays and Fridays\n',
    'config/main.json': `${JSON.stringify({ name: 'shop', region: 'eu', include: 'config/regions/eu.json' }, null, 2)}\n`,
    'config/regions/eu.json': `${JSON.stringify({ replicas: 3, logTarget: 'config/targets/primary.json' }, null, 2)}\n`,
    'config/targets/primary.json': `${JSON.stringify({ format: 'text', file: 'logs/app-07.log', rotate: 'daily' }, null, 2)}\n`,
    'data/renewals.txt': `${repeat(40, (index) => crm.customers[(index * 7) % 300].id).join('\n')}\n`,
    'notes/release.md': `# Release 4.2\n\nTo be closed before we ship:\n\n${repeat(25, (index) => `- ${tickets[(index * 11) % 180].key}`).join('\n')}\n`,
  };
  for (let log = 1; log <= 12; log++) files[`logs/app-${String(log).padStart(2, '0')}.log`] = logText(random, log);
  files['data/sales.csv'] = salesText(random);
  files['data/requests.jsonl'] = requestsText(random);
  files['data/team.csv'] = `name,role,reports_to,city\n${repeat(60, (index) => {
    const boss = index === 0 ? '' : `Person ${Math.floor((index - 1) / 4) + 1}`;
    return `Person ${index + 1},${random.pick(['engineer', 'designer', 'analyst', 'lead'])},${boss},${random.pick(['Lyon', 'Graz', 'Porto'])}`;
  }).join('\n')}\n`;
  files['data/readings.dat'] = `#v3 sensor;epoch;payload\n${repeat(600, (index) => {
    const sensor = `s${random.whole(1, 9)}`;
    return `${sensor};${1_767_225_600 + index * 60};t=${random.whole(-5, 40)}|h=${random.whole(20, 90)}|ok=${random.chance(0.9) ? 1 : 0}`;
  }).join('\n')}\n`;
  for (const name of SERVICES) {
    const service = {
      name,
      port: random.whole(4_000, 4_999),
      timeoutMs: random.pick([1_000, 2_000, 5_000, 8_000]),
      retries: random.whole(0, 5),
      owner: random.pick(['core', 'web', 'data']),
    };
    files[`services/${name}.json`] = `${JSON.stringify(service, null, 2)}\n`;
  }
  for (let index = 0; index < 24; index++) {
    files[`exports/export-${day(2025, 330 + index * 3)}.csv`] =
      `id,value\n1,${random.whole(1, 99)}\n2,${random.whole(1, 99)}\n`;
  }
  return files;
}

function logText(random, log) {
  const lines = repeat(180, (index) => {
    const level = random.pick(['INFO', 'INFO', 'INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR']);
    const time = `2026-02-${String(log).padStart(2, '0')}T${String(index % 24).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}:07Z`;
    return `${time} ${level} ${random.pick(ENDPOINTS)} request=${random.hex(8)} ms=${random.whole(3, 900)}`;
  });
  return lines.join('\n');
}

function salesText(random) {
  const rows = repeat(
    500,
    (index) =>
      `${day(2026, Math.floor(index / 9))},${random.pick(REGIONS)},${random.pick(['lamp', 'desk', 'chair', 'shelf'])},${random.whole(1, 30)},${random.whole(10, 300)}`,
  );
  return `date,region,product,units,price\n${rows.join('\n')}\n`;
}

function requestsText(random) {
  const rows = repeat(1_500, (index) =>
    JSON.stringify({
      at: 1_767_225_600 + index * 7,
      path: random.pick(ENDPOINTS),
      status: random.pick([200, 200, 200, 200, 304, 404, 500]),
      ms: random.whole(2, 2_000),
      trace: random.hex(12),
    }),
  );
  return `${rows.join('\n')}\n`;
}

/** Creates entities and relations in the file format of the memory server. */
export function makeGraph() {
  const random = seededRandom(11);
  const people = repeat(30, (index) => ({
    type: 'entity',
    name: `Employee ${index + 1}`,
    entityType: 'person',
    observations: [
      `lives in ${random.pick(['Lyon', 'Graz', 'Porto', 'Turin'])}`,
      `joined in ${random.whole(2012, 2025)}`,
    ],
  }));
  const projects = ['Atlas', 'Borealis', 'Cobalt'].map((name) => ({
    type: 'entity',
    name: `Project ${name}`,
    entityType: 'project',
    observations: ['runs until 2027'],
  }));
  const assets = repeat(60, (index) => ({
    type: 'entity',
    name: `Laptop ${100 + index}`,
    entityType: 'asset',
    observations: [
      `serial ${random.hex(10)}`,
      `warranty: ${day(2026, random.whole(-300, 700))}`,
      `room ${random.whole(1, 40)}`,
    ],
  }));
  const relations = [
    { type: 'relation', from: 'Project Atlas', to: 'Employee 12', relationType: 'is led by' },
    { type: 'relation', from: 'Project Borealis', to: 'Employee 4', relationType: 'is led by' },
    { type: 'relation', from: 'Employee 12', to: 'Employee 3', relationType: 'reports to' },
    { type: 'relation', from: 'Employee 4', to: 'Employee 3', relationType: 'reports to' },
    { type: 'relation', from: 'Employee 12', to: 'Laptop 117', relationType: 'uses' },
  ];
  return [...people, ...projects, ...assets, ...relations];
}
