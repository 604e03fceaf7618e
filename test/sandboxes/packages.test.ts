import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openFixture } from '../../packages/conformance/src/sandbox/fixture.ts';
import { messageOf } from '../../packages/sandbox/src/errors.ts';
import { pythonLanguage } from '../../packages/sandbox/src/languages/python.ts';
import { buildPackages, openPackages, resolvePackages } from '../../packages/sandbox/src/packages/packages.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { missingPip, packageMirror } from '../fixtures/package-mirror.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
const mirror = packageMirror();

/** Returns a layer with pandas and matplotlib, or the reason why this machine cannot have one. */
async function openLayer(): Promise<{ readonly packages?: string | undefined; readonly missing?: string }> {
  const { available, reason } = await probeJail('python');
  if (!available) return { missing: reason };
  const noPip = missingPip();
  if (noPip !== undefined) return { missing: noPip };
  try {
    process.env.PIP_RETRIES ??= '0';
    const requests = { python: ['pandas', 'matplotlib'], typescript: [] };
    const lock = await resolvePackages(requests, { last: { format: 1 }, sources: {}, isUpgrade: false });
    await buildPackages(lock, mirror.layers, {});
    return { packages: (await openPackages(lock, mirror.layers)).python };
  } catch (error) {
    return { missing: `pip has no pandas and matplotlib: ${messageOf(error)}` };
  }
}

const { packages, missing } = await openLayer();
const dataDir = mkdtempSync(join(mirror.folder, 'data-'));
const sandbox = packages === undefined ? undefined : await jailSandbox({ packages, warmMemoryBytes: MEMORY_BYTES });

afterAll(async () => {
  await sandbox?.[Symbol.asyncDispose]();
  mirror[Symbol.dispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

describe.skipIf(sandbox === undefined)(
  `pandas, numpy and matplotlib in a jail${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const run = async (source: string) => {
      if (sandbox === undefined) throw new Error('skipped');
      await using fixture = openFixture({
        sandbox,
        language: pythonLanguage(),
        dataDir,
        limits: { memoryBytes: MEMORY_BYTES, timeoutMs: 60_000 },
      });
      return (await fixture.execute(source)).result;
    };
    const resultOf = async (source: string) => {
      const result = await run(source);
      return result.status === 'completed' ? result.value : result;
    };
    const pandas = 'import pandas as pd\nimport numpy as np\n';

    it.each([
      [
        'a table',
        'pd.DataFrame({"a": [1, None], "t": pd.to_datetime(["2026-01-02", None])})',
        [
          { a: 1, t: '2026-01-02T00:00:00' },
          { a: null, t: null },
        ],
      ],
      [
        'a table with labels',
        'pd.DataFrame({"s": ["A", "B", "A"], "n": [1, 2, 3]}).groupby("s").sum()',
        [
          { s: 'A', n: 4 },
          { s: 'B', n: 2 },
        ],
      ],
      [
        'two levels of columns',
        'pd.DataFrame({"s": ["A"], "n": [1]}).groupby("s").agg({"n": ["sum", "max"]})',
        [{ s: 'A', n_sum: 1, n_max: 1 }],
      ],
      ['a list of values', 'pd.Series([1.5, None])', [1.5, null]],
      ['values by label', 'pd.Series([1, 2], index=["a", "b"])', { a: 1, b: 2 }],
      [
        'labels that are not unique',
        'pd.Series([1, 2], index=["a", "a"])',
        [
          { index: 'a', value: 1 },
          { index: 'a', value: 2 },
        ],
      ],
      [
        'arrays and numbers',
        '[np.arange(2), np.float32(1.5), np.int64(7), np.bool_(True), np.datetime64("2026-01-01"), {np.int64(3): 1}]',
        [[0, 1], 1.5, 7, true, '2026-01-01', { 3: 1 }],
      ],
      [
        'times, and values that are not known',
        '[pd.NaT, pd.NA, pd.Timestamp("2026-01-01T10:00"), pd.Timedelta("1h"), np.array(["NaT"], dtype="datetime64[D]")]',
        [null, null, '2026-01-01T10:00:00', 3600, [null]],
      ],
    ])('%s is plain data', async (_, expression, expected) => {
      expect(await resultOf(pandas + expression)).toEqual(expected);
    });

    it('a table that would lose a column is an error', async () => {
      const { error } = (await run(`${pandas}pd.DataFrame([[1, 2]], columns=["a", "a"])`)) as {
        error: { code: string; message: string };
      };
      expect([error.code, error.message]).toEqual([
        'RESULT_NOT_JSON',
        expect.stringContaining("a DataFrame has two columns 'a'. Rename one"),
      ]);
    });

    it.each([
      ['a figure as the result', 'fig'],
      ['plt.show()', 'plt.show()'],
      ['show(fig)', 'show(fig)'],
    ])('%s is shown as an image', async (_, last) => {
      const result = await run(`import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\n${last}`);
      expect(result).toMatchObject({ status: 'completed', media: [{ type: 'image', mimeType: 'image/png' }] });
    });

    it('random numbers are those of the seed, so that a replay has the same', async () => {
      // The fixture replays each execution, and fails if it differs.
      const value = await resultOf(`${pandas}[float(np.random.rand()), float(np.random.default_rng().random())]`);
      expect(value).toEqual([expect.any(Number), expect.any(Number)]);
      expect(await resultOf(`${pandas}[float(np.random.rand()), float(np.random.default_rng().random())]`)).not.toEqual(
        value,
      );
    });

    it('an import of something else is the usual error, also inside of a try', async () => {
      expect(
        await resultOf(
          'try:\n    import seaborn\nexcept ModuleNotFoundError as error:\n    result = [error.name, str(error)]',
        ),
      ).toEqual(['seaborn', "No module named 'seaborn'"]);
      expect(await run('import seaborn')).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_MODULE' } });
    });
  },
);
