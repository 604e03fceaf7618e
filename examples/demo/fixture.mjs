// Writes the invoices of the demo, which are the same in each run.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const CUSTOMERS = ['Aster Bikes', 'Borealis Cafe', 'Cobalt Print', 'Delta Foods', 'Ember Tools', 'Fjord Travel'];
const ITEMS = ['paper', 'ink', 'delivery', 'repair', 'licence', 'training', 'hosting', 'support'];

/** Creates a seeded random number generator (linear congruential). */
function sequence(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Writes `count` invoices into `<folder>/invoices`. */
export async function writeInvoices(folder, count) {
  await mkdir(join(folder, 'invoices'), { recursive: true });
  const next = sequence(42);
  for (let number = 1; number <= count; number++) {
    const lines = Array.from({ length: 4 + next(8) }, () => ({
      item: ITEMS[next(ITEMS.length)],
      quantity: 1 + next(20),
      price: (100 + next(9_900)) / 100,
      note: `batch ${next(1_000_000)}, checked by ${CUSTOMERS[next(CUSTOMERS.length)]}`,
    }));
    const invoice = {
      id: `INV-${String(number).padStart(4, '0')}`,
      customer: CUSTOMERS[next(CUSTOMERS.length)],
      due: `2026-${String(1 + next(12)).padStart(2, '0')}-${String(1 + next(28)).padStart(2, '0')}`,
      paid: next(3) === 0,
      lines,
    };
    await writeFile(join(folder, 'invoices', `${invoice.id}.json`), JSON.stringify(invoice, null, 2));
  }
}
