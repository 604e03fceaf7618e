// Files, archives, databases and classes in Python.
import { cents, ORDERS, revenue, sumBy, VISITS } from '../data.mjs';

const byRegion = sumBy(ORDERS, (order) => order.region, revenue);
const best = Object.entries(byRegion).toSorted((a, b) => b[1] - a[1]);

export const programs = [
  {
    name: 'sqlite: a table from CSV and a window function',
    code: `import csv
import sqlite3

con = sqlite3.connect("shop.db")
con.row_factory = sqlite3.Row
con.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, date TEXT, region TEXT, product TEXT, quantity INTEGER, unit_price REAL, customer_id TEXT)")
with open("orders.csv", newline="") as f:
    con.executemany("INSERT INTO orders VALUES (:order_id, :date, :region, :product, :quantity, :unit_price, :customer_id)", csv.DictReader(f))
con.commit()
rows = con.execute("""
    WITH sums AS (SELECT region, SUM(quantity * unit_price) AS revenue FROM orders GROUP BY region)
    SELECT region, ROUND(revenue, 2) AS revenue, RANK() OVER (ORDER BY revenue DESC) AS place FROM sums ORDER BY place
""").fetchall()
con.close()
[dict(r) for r in rows]`,
    right: best.map(([region, sum], at) => ({ region, revenue: cents(sum), place: at + 1 })),
    check: async (_, { read }) => String((await read('shop.db')).subarray(0, 15)) === 'SQLite format 3',
  },
  {
    name: 'sqlite in memory: joins and upsert',
    code: `import sqlite3

con = sqlite3.connect(":memory:")
con.executescript("""
CREATE TABLE stock (item TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n >= 0));
CREATE TABLE moves (item TEXT, delta INTEGER);
INSERT INTO moves VALUES ('a', 5), ('b', 2), ('a', -3), ('c', 9);
""")
for item, delta in con.execute("SELECT item, delta FROM moves").fetchall():
    con.execute("INSERT INTO stock VALUES (?, ?) ON CONFLICT(item) DO UPDATE SET n = n + excluded.n", (item, max(delta, 0)))
con.commit()
try:
    with con:
        con.execute("UPDATE stock SET n = n - 100 WHERE item = 'a'")
    failed = None
except sqlite3.IntegrityError as e:
    failed = str(e)
[con.execute("SELECT item, n FROM stock ORDER BY item").fetchall(), failed]`,
    right: [
      [
        ['a', 5],
        ['b', 2],
        ['c', 9],
      ],
      'CHECK constraint failed: n >= 0',
    ],
  },
  {
    name: 'zip: read, change and write an archive',
    code: `import io
import json
import zipfile
from pathlib import Path

with zipfile.ZipFile("archive.zip") as z:
    names = z.namelist()
    z.extractall("unpacked")
data = json.loads(Path("unpacked/sub/deep/c.json").read_text())
data["n"] += 1
Path("unpacked/sub/deep/c.json").write_text(json.dumps(data))
with zipfile.ZipFile("new.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for p in sorted(Path("unpacked").rglob("*")):
        if p.is_file():
            z.write(p, p.relative_to("unpacked"))
with zipfile.ZipFile("new.zip") as z:
    again = {i.filename: i.file_size for i in z.infolist()}
    bad = z.testzip()
{"names": names, "again": again, "bad": bad}`,
    right: {
      names: ['a.txt', 'sub/b.csv', 'sub/deep/c.json'],
      again: { 'a.txt': 5, 'sub/b.csv': 12, 'sub/deep/c.json': 8 },
      bad: null,
    },
  },
  {
    name: 'tar and gzip: pack a folder and read a member',
    code: `import gzip, os, tarfile, shutil, tempfile

with gzip.open("orders.csv.gz", "rt", newline="") as f:
    header = next(f).strip()
    rows = sum(1 for _ in f)
with tempfile.TemporaryDirectory() as tmp:
    for i in range(3):
        with open(os.path.join(tmp, f"f{i}.txt"), "w") as f:
            f.write("x" * (i + 1))
    with tarfile.open("backup.tar.gz", "w:gz") as t:
        t.add(tmp, arcname="backup")
with tarfile.open("backup.tar.gz") as t:
    names = sorted(m.name for m in t.getmembers() if m.isfile())
    text = t.extractfile("backup/f2.txt").read().decode()
shutil.make_archive("all", "bztar", root_dir=".", base_dir="backup.tar.gz") if os.path.isdir("backup.tar.gz") else None
{"header": header.split(",")[:2], "rows": rows, "names": names, "text": text}`,
    right: {
      header: ['order_id', 'date'],
      rows: ORDERS.length,
      names: ['backup/f0.txt', 'backup/f1.txt', 'backup/f2.txt'],
      text: 'xxx',
    },
  },
  {
    name: 'sort files into folders by their types',
    code: `import os
import shutil
from collections import defaultdict
from pathlib import Path

root = Path.cwd()
moved = defaultdict(list)
for path in sorted(root.iterdir()):
    if path.is_file():
        folder = root / "sorted" / (path.suffix.lstrip(".") or "none")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(str(path), folder / path.name)
        moved[folder.name].append(path.name)
sizes = {d: sum(f.stat().st_size for f in (root / "sorted" / d).iterdir()) for d in ("ics", "csv")}
left = [p.name for p in root.iterdir() if p.is_file()]
{"csv": moved["csv"], "left": left, "ics": sizes["ics"], "exists": os.path.exists("sorted/xml/feed.xml")}`,
    right: { csv: ['customers.csv', 'orders.csv', 'rechnungen.csv'], left: [], ics: 319, exists: true },
  },
  {
    name: 'atomic report: temporary file, rename, backup',
    code: `import json, os, tempfile, shutil
from pathlib import Path

target = Path("state.json")
def save(state):
    fd, tmp = tempfile.mkstemp(dir=".", suffix=".tmp")
    with os.fdopen(fd, "w") as f:
        json.dump(state, f)
        f.flush()
        os.fsync(f.fileno())
    if target.exists():
        shutil.copy2(target, target.with_suffix(".bak"))
    os.replace(tmp, target)

save({"v": 1})
save({"v": 2})
with open("/tmp/scratch.txt", "w") as f:
    f.write("moved")
os.rename("/tmp/scratch.txt", "scratch.txt")
[json.loads(target.read_text()), json.loads(Path("state.bak").read_text()), sorted(p.name for p in Path(".").glob("*.tmp")), Path("scratch.txt").read_text()]`,
    right: [{ v: 2 }, { v: 1 }, [], 'moved'],
    check: async (_, { read }) => String(await read('state.json')) === '{"v": 2}',
  },
  {
    name: 'encodings: a UTF-16 file becomes UTF-8',
    code: `import codecs, csv

with open("utf16.txt", encoding="utf-16") as f:
    rows = list(csv.reader(f, delimiter="\\t"))
with open("utf8.csv", "w", encoding="utf-8", newline="") as f:
    csv.writer(f, quoting=csv.QUOTE_ALL).writerows(rows)
raw = open("utf8.csv", "rb").read()
bom = open("customers.csv", "rb").read(3) == codecs.BOM_UTF8
{"rows": rows, "bytes": len(raw), "bom": bom, "latin": "Äpfel".encode("latin-1").hex()}`,
    right: {
      rows: [
        ['name', 'value'],
        ['Äpfel', '3'],
        ['Birnen', '4'],
      ],
      bytes: 16 + 14 + 14,
      bom: true,
      latin: 'c47066656c',
    },
  },
  {
    name: 'a large file line by line, with a generator',
    code: `import os

with open("big.log", "w") as f:
    for i in range(400_000):
        f.write(f"{i},user{i % 1000},{i * 7 % 1013}\\n")

def records(path):
    with open(path) as f:
        for line in f:
            n, user, value = line.rstrip("\\n").split(",")
            yield user, int(value)

total = top = 0
for user, value in records("big.log"):
    total += value
    top = max(top, value)
size = os.path.getsize("big.log")
os.remove("big.log")
{"size": size, "total": total, "top": top}`,
    right: () => {
      let [size, total, top] = [0, 0, 0];
      for (let at = 0; at < 400_000; at++) {
        const value = (at * 7) % 1013;
        size += `${at},user${at % 1000},${value}\n`.length;
        total += value;
        top = Math.max(top, value);
      }
      return { size, total, top };
    },
  },
  {
    name: 'ini, toml and pickles',
    code: `import configparser, pickle, tomllib
from datetime import date

c = configparser.ConfigParser()
c["db"] = {"host": "localhost", "port": "5432"}
with open("app.ini", "w") as f:
    c.write(f)
c2 = configparser.ConfigParser()
c2.read("app.ini")
doc = tomllib.loads('[tool]\\nname = "x"\\nwhen = 2025-03-09\\nlist = [1, 2.5]\\n')
with open("cache.pkl", "wb") as f:
    pickle.dump({"when": date(2025, 3, 9), "ids": {3, 1, 2}}, f)
with open("cache.pkl", "rb") as f:
    cached = pickle.load(f)
{"port": c2.getint("db", "port"), "toml": doc["tool"], "cached": cached}`,
    right: {
      port: 5432,
      toml: { name: 'x', when: '2025-03-09', list: [1, 2.5] },
      cached: { when: '2025-03-09', ids: [1, 2, 3] },
    },
  },
  {
    name: 'an SVG chart by hand, shown',
    code: `import csv
from collections import Counter

counts = Counter(row["region"] for row in csv.DictReader(open("orders.csv")))
bars = []
for i, (region, n) in enumerate(sorted(counts.items())):
    bars.append(f'<rect x="{20 + i * 60}" y="{200 - n}" width="40" height="{n}" fill="teal"/><text x="{20 + i * 60}" y="215" font-size="12">{region}</text>')
svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="230">{"".join(bars)}</svg>'
with open("chart.svg", "w") as f:
    f.write(svg)
show("chart.svg")
dict(counts)`,
    right: () => {
      const counts = {};
      for (const { region } of ORDERS) counts[region] = (counts[region] ?? 0) + 1;
      return counts;
    },
    check: async ({ media = [] }, { read }) =>
      media.length === 1 &&
      media[0].mimeType === 'image/svg+xml' &&
      String(await read(media[0].path)).includes('<rect'),
  },
  {
    name: 'memory map and struct: a binary file',
    code: `import mmap, os, struct

with open("data.bin", "wb") as f:
    for i in range(1000):
        f.write(struct.pack("<Id", i, i / 2))
with open("data.bin", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    n, x = struct.unpack_from("<Id", m, 500 * 12)
    m[0:4] = struct.pack("<I", 99)
with open("data.bin", "rb") as f:
    first = struct.unpack("<I", f.read(4))[0]
    f.seek(-12, os.SEEK_END)
    last = struct.unpack("<Id", f.read())
[n, x, first, last, os.stat("data.bin").st_size]`,
    right: [500, 250, 99, [999, 499.5], 12_000],
  },
  {
    name: 'a report with logging, argparse and a template',
    code: `import argparse, io, json, logging, string
from contextlib import redirect_stdout
from functools import lru_cache, reduce

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
parser = argparse.ArgumentParser()
parser.add_argument("--input", default="events.ndjson")
parser.add_argument("--min", type=int, default=500)
args = parser.parse_args([])
events = [json.loads(l) for l in open(args.input)]
big = [e for e in events if e["bytes"] >= args.min]
logging.info("%d of %d", len(big), len(events))

@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

out = io.StringIO()
with redirect_stdout(out):
    print("total", reduce(lambda a, e: a + e["bytes"], big, 0), sep="=")
string.Template("$n big, $t, fib $f").substitute(n=len(big), t=out.getvalue().strip(), f=fib(80))`,
    right: () => {
      const big = VISITS.filter(({ bytes }) => bytes >= 500);
      return `${big.length} big, total=${big.reduce((sum, { bytes }) => sum + bytes, 0)}, fib 23416728348467685`;
    },
  },
];
