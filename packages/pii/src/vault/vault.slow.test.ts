import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsBuild } from '../../../../test/fixtures/store-processes.ts';
import { VAULT_PLACES, type VaultPlace } from '../../../../test/fixtures/vaults.ts';
import type { Store } from '../../../storage/src/store.ts';
import { newKeyring } from './keys/master-key.ts';
import { openVault, type VaultOptions } from './vault.ts';

const email = (address: string) => ({ type: 'EMAIL', text: address });

for (const place of VAULT_PLACES) place.describe(`vault in ${place.name}`, () => testVault(place));

function testVault({ name, start }: VaultPlace): void {
  let place: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    place = await start();
  });
  afterAll(() => place.stop());
  let sessions = 0;

  /** Opens vaults of a new session, each with its own store handle, like separate processes. */
  function open(count: number, options: Partial<VaultOptions> = {}) {
    sessions += 1;
    const base = { keys: newKeyring(), user: 'ada', session: `session ${sessions}` };
    return Array.from({ length: count }, () => openVault({ store: place.open(), ...base, ...options }));
  }

  it('keeps its generation while it is empty', async () => {
    const [vault] = open(1);
    const first = await vault?.known();
    expect(await vault?.known()).toEqual(first);
    expect(await vault?.find(['EMAIL_1'])).toEqual(new Map());
    expect(await vault?.known()).toEqual(first);
  });

  it('has one placeholder per value, in all processes and after a restart', async () => {
    const [one, two, later] = open(3);
    const found = [
      email('ada@example.com'),
      { type: 'PHONE', text: '+1 (555) 123-4567' },
      email('ada@EXAMPLE.com'),
      email('Ada@example.com'),
      { type: 'PHONE', text: '15551234567', numeric: true },
      email('ada@example.com'),
    ];
    expect(await one?.allocate(found)).toEqual(['EMAIL_1', 'PHONE_1', 'EMAIL_1', 'EMAIL_2', 'PHONE_2', 'EMAIL_1']);
    expect(await two?.allocate([...found].reverse())).toEqual([
      'EMAIL_1',
      'PHONE_2',
      'EMAIL_2',
      'EMAIL_1',
      'PHONE_1',
      'EMAIL_1',
    ]);
    expect(await two?.allocate([email('bob@example.com')])).toEqual(['EMAIL_3']);
    const known = await later?.find(['EMAIL_1', 'PHONE_2', 'EMAIL_3', 'EMAIL_4', 'X']);
    expect(
      [...(known ?? [])].map(([key, { spellings, numeric }]) => [key, spellings.map((one) => one.text), numeric]),
    ).toEqual([
      ['EMAIL_1', ['ada@example.com', 'ada@EXAMPLE.com'], false],
      ['PHONE_2', ['15551234567'], true],
      ['EMAIL_3', ['bob@example.com'], false],
    ]);
  });

  it('never uses two numbers for a value or one number for two, in parallel calls', async () => {
    const vaults = open(4);
    const values = Array.from({ length: 200 }, (_, index) => email(`user${index % 50}@example.com`));
    const names = await Promise.all(
      vaults.flatMap((vault) => values.map((_, index) => vault.allocate(values.slice(index, index + 10)))),
    );
    const pairs = new Set<string>();
    names.forEach((batch, call) => {
      batch.forEach((name, at) => {
        pairs.add(`${name}=${values[(call % values.length) + at]?.text}`);
      });
    });
    expect(pairs.size).toBe(50);
    expect(new Set([...pairs].map((pair) => pair.split('=')[0])).size).toBe(50);
  });

  it('allocates thousands of values in few round trips', async () => {
    let calls = 0;
    const store = place.open();
    const counting = new Proxy(store, {
      get: (target, key: keyof Store) => {
        const value = target[key];
        if (typeof value !== 'function') return value;
        return (...args: never[]) => {
          calls += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
    const [vault] = open(1, { store: counting });
    const values = Array.from({ length: 4_000 }, (_, index) => email(`user${index}@example.com`));
    const names = await vault?.allocate(values);
    expect([new Set(names).size, calls < values.length / 30]).toEqual([4_000, true]);
    calls = 0;
    expect(await vault?.allocate(values)).toEqual(names);
    expect(calls).toBeLessThan(values.length / 200);
  });

  it('stores the spellings and servers of a value, also of other processes', async () => {
    const [one, two] = open(2);
    await one?.allocate([email('ada@example.com')], 'crm');
    await two?.allocate([email('ada@EXAMPLE.com')], 'mail');
    await one?.allocate([email('ada@example.com')], 'chat');
    const spellings = [
      { text: 'ada@example.com', sources: ['crm', 'chat'] },
      { text: 'ada@EXAMPLE.com', sources: ['mail'] },
    ];
    for (const vault of [one, two])
      expect((await vault?.find(['EMAIL_1']))?.get('EMAIL_1')?.spellings).toEqual(spellings);
  });

  it('returns the values of all processes, and then only changes', async () => {
    const [one, two] = open(2);
    expect(await two?.known()).toMatchObject({ list: [] });
    await one?.allocate([email('a@example.com'), email('b@example.com')]);
    const before = structuredClone(await two?.known());
    await one?.allocate([email('c@example.com')]);
    const after = await two?.known();
    const namesOf = (known: typeof before) => known?.list.map((value) => value.name).sort();
    expect([namesOf(before), namesOf(after), after?.generation]).toEqual([
      ['EMAIL_1', 'EMAIL_2'],
      ['EMAIL_1', 'EMAIL_2', 'EMAIL_3'],
      before?.generation,
    ]);
    await one?.forget('b@example.com');
    const gone = await two?.known();
    expect([namesOf(gone), gone?.generation === after?.generation]).toEqual([['EMAIL_1', 'EMAIL_3'], false]);
  });

  it('forgets a value in all processes, and never reuses its number', async () => {
    const [one, two] = open(2);
    const values = [email('ada@example.com'), email('bob@example.com')];
    await one?.allocate(values);
    await two?.find(['EMAIL_1', 'EMAIL_2']);
    expect(await one?.forget('ada@EXAMPLE.com')).toBe(1);
    expect([await one?.forget('[EMAIL_7]'), [...((await two?.find(['EMAIL_1', 'EMAIL_2'])) ?? [])].length]).toEqual([
      0, 1,
    ]);
    expect(await two?.allocate(values)).toEqual(['EMAIL_3', 'EMAIL_2']);
    expect(await two?.forget('[EMAIL_3]')).toBe(1);
    expect(await one?.allocate(values)).toEqual(['EMAIL_4', 'EMAIL_2']);
  });

  it('forgets a session in all processes, and then starts with unused numbers', async () => {
    const [one, two] = open(2);
    await one?.allocate([email('ada@example.com')]);
    await two?.find(['EMAIL_1']);
    await one?.destroy();
    expect([...((await two?.find(['EMAIL_1'])) ?? [])]).toEqual([]);
    const [name = ''] = (await two?.allocate([email('bob@example.com')])) ?? [];
    expect(Number(name.slice('EMAIL_'.length))).toBeGreaterThan(1_000_000);
    expect((await one?.find([name]))?.get(name)?.spellings[0].text).toBe('bob@example.com');
  });

  it('starts at a high number if a resumed session has lost its vault', async () => {
    const [vault] = open(1, { resumed: true });
    const [name = ''] = (await vault?.allocate([email('ada@example.com')])) ?? [];
    expect(name).toMatch(/^EMAIL_[1-9]\d{6}$/);
  });

  it('expires after its idle time, and at its absolute end', async () => {
    const [idle] = open(1, { lifetime: { idleMs: 1_000 } });
    const [ended] = open(1, { lifetime: { idleMs: 60_000, maxMs: 2_000 } });
    await Promise.all([idle, ended].map((vault) => vault?.allocate([email('ada@example.com')])));
    // Each use delays the end of the first one, unless this machine paused for its whole idle time.
    for (let usedAt = performance.now(); (await ended?.find(['EMAIL_1']))?.size === 1; ) {
      const found = (await idle?.find(['EMAIL_1']))?.size;
      if (performance.now() - usedAt < 1_000) expect(found).toBe(1);
      usedAt = performance.now();
      await sleep(300);
    }
    await sleep(1_100);
    for (const vault of [idle, ended]) expect((await vault?.find(['EMAIL_1']))?.size).toBe(0);
  });

  it('keeps sessions and users apart', async () => {
    const store = place.open();
    const keys = newKeyring();
    const vaults = ['ada', 'bob'].flatMap((user) =>
      ['1', '2'].map((session) => openVault({ store, keys, user, session: `${name} ${session}` })),
    );
    const [first] = vaults;
    await first?.allocate([email('ada@example.com')]);
    for (const vault of vaults) expect((await vault.find(['EMAIL_1'])).size).toBe(vault === first ? 1 : 0);
  });

  it('counts for all processes of the session', async () => {
    const [one, two] = open(2);
    await one?.allocate([email('ada@example.com')]);
    expect([await one?.count('derivations', 2), await two?.count('derivations', 3)]).toEqual([2, 5]);
  });

  it('stores no value, user name or key in plain text', async () => {
    const [vault] = open(1, { user: 'grace.hopper@example.net' });
    const values = ['ada.lovelace@example.com', '+15551234567', '4111111111111111'];
    await vault?.allocate(
      values.map((value) => ({ type: 'OTHER', text: value })),
      'crm',
    );
    await vault?.forget('+15551234567');
    const bytes = place.bytes();
    const forms = [...values, 'grace.hopper', 'session '].flatMap((value) => {
      return (['utf8', 'utf16le', 'base64', 'hex'] as const).map((form) =>
        form === 'utf16le'
          ? Buffer.from(value, form)
          : Buffer.from(Buffer.from(value).toString(form).replace(/=+$/, '').slice(0, 12)),
      );
    });
    if (name !== 'memory') expect(bytes.includes('OTHER_1')).toBe(true);
    expect(forms.filter((form) => bytes.includes(form))).toEqual([]);
  });

  if (name !== 'memory') {
    needsBuild.it('agrees between processes that allocate the same values at once', async () => {
      const room = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../${path}.js`, import.meta.url)));
      const program = `
        import { ${name}Store } from ${room(`storage/build/${name}`)};
        import { openVault } from ${room('pii/build/vault/vault')};
        import { keyringOf } from ${room('pii/build/vault/keys/master-key')};
        const keys = keyringOf([${JSON.stringify('ab'.repeat(32))}], 'the test');
        const store = ${place.source};
        const vault = openVault({ store, keys, user: 'ada', session: 'processes' });
        const pairs = [];
        for (let at = 0; at < 300; at += 20) {
          const values = Array.from({ length: 30 }, (_, index) => ({ type: 'EMAIL', text: 'user' + (at + index) + '@example.com' }));
          (await vault.allocate(values)).forEach((name, index) => pairs.push([values[index].text, name]));
        }
        await store[Symbol.asyncDispose]();
        console.log(JSON.stringify(pairs));`;
      const answers = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
          return JSON.parse(output) as [string, string][];
        }),
      );
      const pairs = new Map(
        answers.flat().map(([value, placeholder]) => [`${value} ${placeholder}`, { value, placeholder }]),
      );
      const distinct = (key: 'value' | 'placeholder') => new Set([...pairs.values()].map((pair) => pair[key])).size;
      expect([pairs.size, distinct('value'), distinct('placeholder')]).toEqual([310, 310, 310]);
    });
  }
}
