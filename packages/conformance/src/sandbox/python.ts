import assert from 'node:assert/strict';
import { completesWith, dataOf, errorOf, failsWith, type SandboxCase } from './case.ts';

const completes = (name: string, python: string, value: unknown) => completesWith('api', name, { python }, value);
const failsInPython = (name: string, python: string, expected: Parameters<typeof failsWith>[3]) =>
  failsWith('errors', name, { python }, expected);

/** Cases for Python only. */
export const PYTHON_CASES: readonly SandboxCase[] = [
  completes('the variable result overrides the last expression', 'result = 1\nresult + 1', 1),
  completes('a last statement that returns None is not a result', 'print("x")', undefined),
  completes(
    'a return in a branch ends the program',
    'for n in range(5):\n    if n == 3:\n        return n\nreturn "none"',
    3,
  ),
  completes(
    'names that a program with a return sets belong to its module',
    'total = 0\ndef add(n):\n    global total\n    total += n\nadd(2)\nadd(3)\nreturn total',
    5,
  ),
  completes(
    'asyncio.run works in a program without top-level await',
    'import asyncio\nasync def main():\n    return await call_mcp_tool("tools__echo", {"value": 4})\nif __name__ == "__main__":\n    result = asyncio.run(main())',
    4,
  ),
  completes(
    'finders that a program adds are asked for modules that nothing else has',
    `import importlib.util, sys
class Later:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "made_up" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.VALUE = 6
sys.meta_path.append(Later())
import made_up
[made_up.VALUE, importlib.util.find_spec("absent")]`,
    [6, null],
  ),
  completes('an async function that was called last is awaited', 'async def main():\n    return 5\nmain()', 5),
  completes(
    'the API is importable',
    'from toolwright import call_mcp_tool as call, ToolError as Refused\n[await call("tools__echo", {"value": 1}), Refused is ToolError]',
    [1, true],
  ),
  completes(
    'common modules need no import, and an own import or variable has precedence',
    `found = [json.loads("[1]"), re.sub("a", "b", "aa"), math.floor(1.5), datetime.date(2020, 1, 2), statistics.mean([1, 3])]
found += [collections.Counter("aab")["a"], list(itertools.islice(itertools.count(), 2))]
def own():
    from datetime import datetime
    json = "mine"
    return [datetime(2020, 1, 2).year, json]
found + own()`,
    [[1], 'bb', 1, '2020-01-02', 2, 2, [0, 1], 2020, 'mine'],
  ),
  completes(
    'keywords have snake_case too, and reserved words end with _',
    `import servers.odd
[await servers.odd.class_(x=1), await servers.odd.a_b(x=2)]`,
    [
      { tool: 'class', args: { x: 1 } },
      { tool: 'a_b', args: { x: 2 } },
    ],
  ),
  completes(
    'a signature of a search answer runs unchanged, without an import',
    'import sys\nbefore = "servers" in sys.modules\n[before, await servers.tools.echo(value=6), await servers.tools.echo(value=7)]',
    [false, 6, 7],
  ),
  {
    area: 'api',
    name: 'tasks, task groups and timeouts accept calls',
    programs: {
      python: `import asyncio
task = asyncio.create_task(call_mcp_tool("tools__slow", {"ms": 800}))
sent = call_mcp_tool("tools__slow", {"ms": 800})
timed = asyncio.wait_for(call_mcp_tool("tools__slow", {"ms": 800}), 20)
first = await asyncio.gather(task, sent, timed)
try:
    await asyncio.wait_for(call_mcp_tool("tools__slow", {"ms": 5_000}), 0.05)
except asyncio.TimeoutError:
    first.append("late")
first.append(await sent)
first`,
    },
    check({ result, mostInFlight }) {
      assert.deepEqual(dataOf(result), ['done', 'done', 'done', 'late', 'done']);
      assert.equal(mostInFlight(), 3);
    },
  },
  completes(
    'files are read while calls are running',
    'sent = call_mcp_tool("tools__slow", {"ms": 50})\nwrite_file("a", "1")\n[read_file("a"), await sent]',
    ['1', 'done'],
  ),
  {
    ...completes(
      'threads run next to the event loop and may use files',
      `import asyncio, threading
def work(name):
    write_file(name, threading.current_thread() is threading.main_thread() and "main" or "thread")
    return read_file(name)
await asyncio.gather(*[asyncio.to_thread(work, str(n)) for n in range(3)], call_mcp_tool("tools__slow", {"ms": 20}))`,
      ['thread', 'thread', 'thread', 'done'],
    ),
    needsThreads: true,
  },
  completes(
    'values have their nearest form in JSON',
    `import dataclasses, datetime, decimal, enum, uuid
@dataclasses.dataclass
class Point:
    x: int
class Color(enum.Enum):
    RED = "red"
[Point(1), Color.RED, (1, 2), {3, 1, 2}, range(2), (n for n in "ab"), {1: "a", None: "b", datetime.date(2020, 1, 2): "c"},
 datetime.datetime(2020, 1, 2, 3, 4, 5), decimal.Decimal("1.10"), uuid.UUID(int=1), float("inf"), ValueError("v"), datetime.timedelta(minutes=1)]`,
    [
      { x: 1 },
      'red',
      [1, 2],
      [1, 2, 3],
      [0, 1],
      ['a', 'b'],
      { '1': 'a', null: 'b', '2020-01-02': 'c' },
      '2020-01-02T03:04:05',
      '1.10',
      '00000000-0000-0000-0000-000000000001',
      null,
      { name: 'ValueError', message: 'v' },
      60,
    ],
  ),
  completes(
    'modules and packages of the workspace are imported, the standard library comes first',
    `import os
os.makedirs("lib/inner")
write_file("lib/__init__.py", "from .inner import b\\nfrom . import inner\\na = b.value + 1")
write_file("lib/inner/b.py", "value = 1")
write_file("plain.py", "import lib\\nname = __name__\\ndouble = lib.a * 2")
write_file("json.py", "raise RuntimeError")
import json, plain
from lib.inner.b import value
[plain.double, plain.name, value, json.dumps(1)]`,
    [4, 'plain', 1, '1'],
  ),
  completes(
    'servers can be explored by listing and reading',
    `import os
text = open("/servers/tools.pyi").read()
[os.listdir("/servers"), "def add(" in text, os.path.isfile("/servers/tools.py")]`,
    [['__init__.py', 'tools.py', 'tools.pyi', 'odd.py', 'odd.pyi'], true, true],
  ),
  completes(
    'open has the modes and the behaviour of Python',
    `with open("a.txt", "x", encoding="utf-16", newline="\\r\\n") as file:
    print("one", "two", sep="\\n", file=file)
lines = [line for line in open("a.txt", encoding="utf-16")]
with open("a.txt", "r+b") as file:
    file.seek(0, 2)
    end = file.tell()
    file.seek(0)
    file.write(b"\\xff\\xfe")
seen = []
for work in (lambda: open("a.txt", "x"), lambda: open("gone.txt"), lambda: open("a.txt", "rw"), lambda: open("a.txt").write("x")):
    try:
        work()
    except Exception as error:
        seen.append(type(error).__name__)
left = open("left.txt", "w")
left.write("open at the end")
[lines, end, seen]`,
    [['one\n', 'two\n'], 22, ['FileExistsError', 'FileNotFoundError', 'ValueError', 'UnsupportedOperation']],
  ),
  completes(
    'every file API of Python works in the workspace, and files move there from /tmp',
    `import io, mmap, os, pathlib, shutil, sqlite3, tarfile, tempfile, zipfile
database = sqlite3.connect("shop.db")
database.execute("create table t (a)")
database.executemany("insert into t values (?)", [[each] for each in range(100)])
database.commit()
database.close()
open("/tmp/x", "w").write("moved")
os.rename("/tmp/x", "x.txt")
open("/tmp/y", "w").write("moved too")
shutil.move("/tmp/y", "y.txt")
pathlib.Path("touched").touch()
pathlib.Path("d/e").mkdir(parents=True)
shutil.copy2("x.txt", "d/e/copy.txt")
shutil.copytree("d", "f")
with open("map", "wb") as file: file.write(b"0" * 4096)
with open("map", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped: mapped[:3] = b"abc"
with zipfile.ZipFile("a.zip", "w") as packed: packed.write("x.txt")
with tarfile.open("a.tar", "w") as packed: packed.add("d")
with tempfile.NamedTemporaryFile(dir=".") as file:
    file.write(b"12"); file.flush()
    size = os.path.getsize(file.name)
descriptor = os.open("low", os.O_RDWR | os.O_CREAT)
os.write(descriptor, b"12345"); os.lseek(descriptor, 1, 0)
low = os.read(descriptor, 2).decode()
with open("a.txt", "w+") as file:
    file.write("one two"); file.seek(4)
    part = file.read()
[sqlite3.connect("shop.db").execute("select sum(a) from t").fetchone()[0], open("map", "rb").read(4).decode(), zipfile.ZipFile("a.zip").read("x.txt").decode(),
 tarfile.open("a.tar").getnames(), size, low, part, sorted(os.listdir()), [names for _, names, _ in os.walk(".")], os.path.expanduser("~"),
 os.path.getmtime("x.txt") <= os.path.getmtime("a.txt")]`,
    [
      4950,
      'abc0',
      'moved',
      ['d', 'd/e', 'd/e/copy.txt'],
      2,
      '23',
      'two',
      ['a.tar', 'a.txt', 'a.zip', 'd', 'f', 'low', 'map', 'shop.db', 'touched', 'x.txt', 'y.txt'],
      [['d', 'f'], ['e'], [], ['e'], []],
      '/workspace',
      true,
    ],
  ),
  {
    area: 'api',
    name: 'the next program has the files, also renamed, removed and large ones',
    programs: {
      python: `import os, shutil
os.makedirs("old/deep")
for name in ("a", "b"): open(f"old/deep/{name}", "w").write(name)
open("gone", "w").write("x")
with open("large.csv", "w") as file:
    for row in range(300_000): file.write(f"{row},some text\\n")
await call_mcp_tool("tools__echo", {"value": 1})
os.rename("old", "new")
os.rename("large.csv", "renamed.csv")
os.remove("gone")
os.replace("new/deep/a", "new/deep/b")`,
    },
    async check({ result, execute }) {
      assert.equal(result.status, 'completed');
      const reader = `import os
lines = 0
for line in open("renamed.csv"): lines += 1
[list_files(recursive=True), open("new/deep/b").read(), lines, line]`;
      const files = ['new', 'new/deep', 'new/deep/b', 'renamed.csv'];
      assert.deepEqual(dataOf((await execute(reader)).result), [files, 'a', 300_000, '299999,some text\n']);
    },
  },
  {
    area: 'api',
    name: 'a tool and a module find the files that the program wrote before',
    programs: {
      python: `import os
open("helper.py", "w").write("value = 7")
import helper
seen = os.stat("helper.py").st_size
[helper.value, seen, open("helper.py").read()]`,
    },
    async check({ result }) {
      assert.deepEqual(dataOf(result), [7, 9, 'value = 7']);
    },
  },
  completes(
    'links and impossible names in the workspace are refused where they are made',
    `import os
def attempt(work, *values):
    try:
        work(*values)
        return "made"
    except OSError as error:
        return error.code
open("a", "w").close()
[attempt(os.symlink, "a", "b"), attempt(open, "a\\nb", "w"), attempt(os.mkdir, "c\\\\d"), attempt(open, "x" * 300, "w"), os.listdir()]`,
    ['EPERM', 'EINVAL', 'EINVAL', 'ENAMETOOLONG', ['a']],
  ),
  {
    area: 'api',
    name: 'a file that the program did not close is written at its end',
    programs: { python: 'left = open("left.txt", "w")\nleft.write("all")\nimport os\nos.getcwd()' },
    async check({ result, execute }) {
      assert.equal(dataOf(result), '/workspace');
      assert.equal(dataOf((await execute('read_file("left.txt")')).result), 'all');
    },
  },
  {
    area: 'api',
    name: 'print, stderr, logging and warnings have their levels, line by line',
    programs: {
      python: `import logging, sys, warnings
print("a", 1, sep="-")
print("b", end=" ")
print("c\\nd")
print("bad", file=sys.stderr)
logging.basicConfig(level=logging.DEBUG, format="%(message)s")
logging.info("told")
logging.warning("careful")
logging.error("broken")
warnings.warn("old")
sys.stdout.write("no end")`,
    },
    check({ result }) {
      const lines = result.logs.map(({ level, text }) => `${level} ${text}`);
      assert.deepEqual(lines.slice(0, 7), [
        'info a-1',
        'info b c',
        'info d',
        'error bad',
        'info told',
        'warn careful',
        'error broken',
      ]);
      assert.match(lines[7] ?? '', /^warn UserWarning: old/);
      assert.deepEqual([lines[8], lines.length], ['info no end', 9]);
    },
  },
  {
    area: 'limits',
    name: 'a line without an end is bounded',
    programs: { python: 'for _ in range(500):\n    print("x" * 1_000, end="")' },
    limits: { logBytes: 100_000 },
    check({ result }) {
      assert.equal(result.logs.length, 1);
      assert.match(result.logs[0]?.text ?? '', /x… \(\+\d+\)$/);
    },
  },
  {
    area: 'errors',
    name: 'a traceback shows the lines of the author, innermost first',
    programs: {
      python: `import json
write_file("lib.py", "def call(f):\\n    return f()")
import lib
def inner():
    return json.loads("{")
def outer():
    return lib.call(inner)
outer()`,
    },
    check({ result }) {
      const error = errorOf(result);
      assert.deepEqual([error.name, error.line], ['JSONDecodeError', 5]);
      assert.match(
        error.stack ?? '',
        /^ {2}at inner line 5, column \d+\n {2}at outer line 7, column \d+\n {2}at line 8, column 1$/,
      );
    },
  },
  failsInPython(
    'a call that is not awaited is explained where its data is used',
    'x = call_mcp_tool("tools__echo", {"value": {"a": 1}})["a"]',
    { name: 'TypeError', message: /Await it: `\(await call_mcp_tool/, line: 1 },
  ),
  failsInPython(
    'a call that is not awaited is explained where it is part of the result',
    'return {"a": call_mcp_tool("tools__echo", {"value": 1})}',
    { code: 'RESULT_NOT_JSON', message: /is not awaited\. Write await call_mcp_tool/ },
  ),
  failsInPython('an await of a value that is not a call is explained', 'write_file("a", "1")\nawait read_file("a")', {
    name: 'TypeError',
    line: 2,
    hint: /Do not await .*read_file/,
  }),
  failsInPython(
    'asyncio.run next to top-level await is explained',
    'import asyncio\nawait asyncio.sleep(0)\nasync def main():\n    return 1\nasyncio.run(main())',
    { name: 'RuntimeError', line: 5, hint: /await main\(\)/ },
  ),
  failsInPython('a module of the network is explained', 'import requests', {
    name: 'ModuleNotFoundError',
    line: 1,
    hint: /no network/,
  }),
  failsInPython('a module that was not imported is explained', 'csv.reader([])', {
    name: 'NameError',
    hint: /import csv/,
  }),
  failsInPython('a word of another language is explained', 'return {"a": true}', { name: 'NameError', hint: /True/ }),
  failsInPython('bytes as the result are explained', 'return {"a": b"x"}', {
    code: 'RESULT_NOT_JSON',
    message: /decode\(\)/,
  }),
  failsInPython(
    'a value without a form in JSON is explained where it is an argument',
    '\nawait call_mcp_tool("tools__echo", {"value": object()})',
    { name: 'TypeError', message: /an object has no JSON form/, line: 2 },
  ),
  failsInPython(
    'all errors of a task group are reported',
    `import asyncio
async def bad(text):
    raise ValueError(text)
errors = await asyncio.gather(bad("one"), bad("two"), return_exceptions=True)
class Group(Exception):
    exceptions = tuple(errors)
raise Group("both")`,
    { name: 'Group', message: /both: ValueError: one; ValueError: two/ },
  ),
  failsInPython('a syntax error in a module is reported', 'write_file("bad.py", "x = = 1")\nimport bad', {
    code: 'SYNTAX',
    name: 'SyntaxError',
    message: /line 1, column 5 of workspace\/bad\.py/,
    line: 2,
  }),
  failsInPython('the text of sys.exit is the message of the error', 'import sys\nsys.exit("no luck")', {
    name: 'SystemExit',
    code: 'GUEST_ERROR',
    message: /^no luck$/,
    line: 2,
  }),
  failsInPython('an end by a number other than 0 is an error', 'def main():\n    quit(3)\nmain()', {
    name: 'SystemExit',
    code: 'GUEST_ERROR',
    message: /sys\.exit\(3\)/,
    line: 2,
  }),
  ...['sys.exit()', 'sys.exit(0)', 'sys.exit(None)', 'exit()', 'quit(0)', 'raise SystemExit'].map((end) =>
    completes(`the result stays after ${end}`, `result = 3\nimport sys\n${end}`, 3),
  ),
  completes('a coroutine that ends itself keeps the result', 'async def main():\n    exit(0)\nresult = 4\nmain()', 4),
  failsInPython('an end of the process is an error', 'import os\nos._exit(3)', { message: /os\._exit\(3\)/, line: 2 }),
  failsInPython('a cancelled program is an error', 'import asyncio\nraise asyncio.CancelledError()', {
    name: 'CancelledError',
    line: 2,
  }),
  failsInPython(
    'a program that waits forever is reported with its line',
    'import asyncio\nasync def wait():\n    await asyncio.Event().wait()\nawait wait()',
    { code: 'NEVER_SETTLES', line: 3 },
  ),
];
