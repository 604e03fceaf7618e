import { expect } from 'vitest';
import type { Part } from '../row.ts';

const ORDERS = `import json\nwrite_file("large_dataset.json", json.dumps([{"id": n, "status": "active" if n % 4 == 0 else "closed"} for n in range(40)]))\n`;
const SCAN = `import json\nwrite_file("scan_results.json", json.dumps([{"severity": "low"}, {"severity": "critical"}]))\n`;

export const PYTHON: Part = {
  title: 'Programs in Python',
  rows: [
    {
      item: 'the program that filters `large_dataset.json`, without an import of `json`',
      from: 'M',
      async check({ call, run }) {
        const code = `
data = json.loads(read_file("large_dataset.json"))
filtered = [d for d in data if d['status'] == 'active']
result = {
    'total': len(data),
    'active': len(filtered),
    'sample': filtered[:5]
}
`;
        const sample = [0, 4, 8, 12, 16].map((id) => ({ id, status: 'active' }));
        expect(await run(ORDERS + code.replace('import json', ''), { language: 'python' })).toEqual({
          total: 40,
          active: 10,
          sample,
        });
        // The same with files of the connection, and without a language.
        const rows = Array.from({ length: 8 }, (_, id) => ({ id, status: id < 2 ? 'active' : 'closed' }));
        await call('write_workspace_file', { path: 'large_dataset.json', content: JSON.stringify(rows) });
        expect(JSON.parse(await call('execute_code', { code }))).toMatchObject({ total: 8, active: 2 });
      },
    },
    {
      item: 'the program that loads a skill with `exec(load_skill("filter_high_risk"))`',
      from: 'M',
      async check({ call }) {
        await call('save_skill', {
          name: 'filter_high_risk',
          code: "def filter_high_risk(vulns): return [v for v in vulns if v['severity'] in ['high', 'critical']]",
          description: 'Filter vulnerabilities to high/critical only',
        });
        await call('execute_code', { code: SCAN, language: 'python' });
        const code = `
skill = load_skill("filter_high_risk")
exec(skill)
vulns = json.loads(read_file("scan_results.json"))
result = filter_high_risk(vulns)
`;
        expect(JSON.parse(await call('execute_code', { code }))).toEqual([{ severity: 'critical' }]);
      },
    },
    {
      item: 'modules without an import: `json`, `re`, `math`, `datetime`, `collections`, `itertools`, `statistics`',
      from: 'M',
      async check({ run }) {
        const code = `result = [json.dumps(1), re.sub("a", "b", "a"), math.floor(1.5), datetime.date(2026, 1, 2).isoformat() if hasattr(datetime, "date") else "", collections.Counter("aa")["a"], list(itertools.chain([1], [2])), statistics.mean([1, 3])]`;
        expect(await run(code, { language: 'python' })).toEqual(['1', 'b', 1, '2026-01-02', 2, [1, 2], 2]);
      },
    },
    {
      item: '`read_file`, `write_file`, `list_files`',
      from: 'M',
      async check({ run }) {
        const code = `write_file("a.txt", "x")\nresult = [read_file("a.txt"), list_files()]`;
        expect(await run(code, { language: 'python' })).toEqual(['x', ['a.txt']]);
      },
    },
    {
      item: 'tools as modules below `servers/`, discovered as files',
      from: 'P',
      async check({ run }) {
        const code = `import os\nfrom servers.database import query\nresult = ["query.ts" in os.listdir("/servers/database"), (await query(query="SELECT 2 AS two"))[0]["two"]]`;
        expect(await run(code, { language: 'python' })).toEqual([true, 2]);
      },
    },
    {
      item: 'state that stays: `workspace/`, skills that stay: `skills/`',
      from: 'P',
      async check({ toolwright }) {
        const made = await toolwright();
        const { id: sessionId } = await made.sessions.create();
        await made.execute('write_file("n.txt", "1")', { language: 'python', sessionId });
        const next = await made.execute('result = read_file("n.txt")', { language: 'python', sessionId });
        expect(next).toMatchObject({ value: '1' });
      },
    },
    {
      item: 'a workspace per customer',
      from: 'P',
      async check({ toolwright }) {
        const made = await toolwright();
        const [ada, bob] = [await made.sessions.create(), await made.sessions.create()];
        await made.execute('write_file("own.txt", "ada")', { language: 'python', sessionId: ada.id });
        const seen = await made.execute('result = list_files()', { language: 'python', sessionId: bob.id });
        expect(seen).toMatchObject({ value: [] });
      },
    },
    {
      item: 'continuing a session with its log',
      from: 'P',
      async check({ toolwright }) {
        const made = await toolwright();
        const { id: sessionId } = await made.sessions.create();
        await made.execute('result = "first"', { language: 'python', sessionId });
        const code = 'result = "first" in read_file("/session/log.md")';
        expect(await made.execute(code, { language: 'python', sessionId })).toMatchObject({ value: true });
      },
    },
    {
      item: 'restricted builtins: no `open`, `exec`, `eval`',
      from: 'M',
      differs:
        'A list of builtins does not isolate Python. `open` reads the files of the session only, and `exec` and `eval` work: the sandbox is a jail, or WebAssembly.',
      async check({ run }) {
        const code = `try:\n    open("/etc/shadow").read()\n    result = "read"\nexcept OSError:\n    result = eval("1 + 1")`;
        expect(await run(code, { language: 'python' })).toBe(2);
      },
    },
    {
      item: 'no network from the sandbox',
      from: 'MHN',
      async check({ run }) {
        const code = `import socket\ntry:\n    socket.create_connection(("127.0.0.1", 80), 1)\n    result = "connected"\nexcept Exception:\n    result = "refused"`;
        expect(await run(code, { language: 'python' })).toBe('refused');
      },
    },
  ],
};
