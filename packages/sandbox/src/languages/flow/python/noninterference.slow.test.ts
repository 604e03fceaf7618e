import { expect, test } from 'vitest';
import { needsPython, python } from '../../../../../../test/fixtures/python.ts';
import { PythonWriter } from '../../../../../../test/fixtures/random-python.ts';
import { pythonFlow } from './python-flow.ts';

/** Fixed, so that a failure can be repeated. Another one: TOOLWRIGHT_FUZZ_SEED. */
const SEED = Number(process.env.TOOLWRIGHT_FUZZ_SEED ?? 4_200);
const PROGRAMS = Number(process.env.TOOLWRIGHT_FUZZ_PROGRAMS ?? 500);

/** Runs each program with several answers of each tool. Prints the tools whose answers change an address of its mails. */
const RUN = `
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 ** 30, 2 ** 30))
class Endless(BaseException):
    pass
PAGES = [
    {"t": "a", "n": 0, "l": ["a"], "b": False},
    {"t": "ccc", "n": 3, "l": ["x", "y"], "b": True},
    {"t": "b", "n": 1, "l": ["b", "a"], "b": True},
]
def run(code, page, crm):
    sent = []
    def call(tool, args):
        if tool == "mail__send":
            sent.append(json.dumps(args["to"]))
        return json.loads(json.dumps({"web__fetch": page, "crm__get": crm}.get(tool)))
    lines = 0
    def trace(*_):
        nonlocal lines
        lines += 1
        if lines > 1_000:
            raise Endless
        return trace
    try:
        sys.settrace(trace)
        exec(code, {"call_mcp_tool": call, "json": json, "__name__": "__main__"})
    except (Endless, MemoryError):
        return [None]
    except Exception:
        return sent or [None]
    finally:
        sys.settrace(None)
    return sent
def differs(runs):
    return any(a != b and None not in (a, b) for one in runs for other in runs for a, b in zip(one, other))
found = []
for source in json.load(sys.stdin):
    code = compile(source, "program", "exec")
    by_page = [[run(code, page, crm) for page in PAGES] for crm in PAGES]
    by_crm = [[runs[at] for runs in by_page] for at in range(len(PAGES))]
    sends = any(one != [None] for runs in by_page for one in runs)
    found.append({"web__fetch": any(map(differs, by_page)), "crm__get": any(map(differs, by_crm)), "sends": sends})
print(json.dumps(found))
`;

needsPython.describe('pythonFlow', () => {
  test(`misses no data that changes an argument in ${PROGRAMS} random programs (seed ${SEED})`, compare, 600_000);
});

function compare(): void {
  const writer = new PythonWriter(SEED);
  const programs = Array.from({ length: PROGRAMS }, () => writer.program());
  const found = python(RUN, programs) as Record<string, boolean>[];
  const counts = { sends: 0, reached: 0, proven: 0, open: 0 };
  const missed: string[] = [];
  for (const [index, source] of programs.entries()) {
    const dynamic = found[index] ?? {};
    if (dynamic.sends) counts.sends++;
    const flow = pythonFlow(source);
    const leaves = flow?.filter(({ tool }) => tool === 'mail__send').flatMap((site) => site.leaves) ?? [];
    const from = new Set(leaves.flatMap(([, leaf]) => leaf.from));
    const isOpen = flow === undefined || flow.some(({ tool }) => tool === undefined) || from.has('?');
    if (isOpen) counts.open++;
    for (const tool of ['web__fetch', 'crm__get']) {
      if (dynamic[tool]) counts.reached++;
      if (!isOpen && !from.has(tool)) counts.proven++;
      if (dynamic[tool] && !isOpen && !from.has(tool)) missed.push(`${tool}\n${source}`);
    }
  }
  expect(missed.slice(0, 3)).toEqual([]);
  // The comparison means something only if many programs run, and have data in an argument, and others have none.
  expect(counts.sends).toBeGreaterThan(PROGRAMS * 0.7);
  expect(counts.reached).toBeGreaterThan(PROGRAMS * 0.2);
  expect(counts.proven).toBeGreaterThan(PROGRAMS * 0.05);
}
