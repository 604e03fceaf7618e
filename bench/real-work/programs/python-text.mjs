// Texts, dates, times and markup in Python, with the standard library.
import { ARTICLE, PEOPLE, VISITS } from '../data.mjs';

const count = (list) => {
  const counts = {};
  for (const item of list) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
};
const isNotRoot = ({ path }) => path !== '/';

export const programs = [
  {
    name: 'words of a text',
    code: `import re
from collections import Counter

text = open("article.txt", encoding="utf-8").read()
words = re.findall(r"[^\\W\\d_]+(?:'[^\\W\\d_]+)?", text.lower())
{"total": len(words), "top": Counter(words).most_common(2), "longest": max(words, key=len), "sentences": len(re.findall(r"[.!?](?:\\s|$)", text))}`,
    right: () => {
      const words = ARTICLE.toLowerCase().match(/\p{L}+(?:'\p{L}+)?/gu);
      const top = Object.entries(count(words)).toSorted((a, b) => b[1] - a[1]);
      return {
        total: words.length,
        top: top.slice(0, 2),
        longest: words.reduce((best, word) => (word.length > best.length ? word : best)),
        sentences: ARTICLE.match(/[.!?](?=\s|$)/g).length,
      };
    },
  },
  {
    name: 'addresses, prices and links of a text',
    code: `import re
from urllib.parse import urlparse, parse_qs

text = open("article.txt", encoding="utf-8").read()
emails = re.findall(r"[\\w.+-]+@[\\w-]+\\.[\\w.]*\\w", text)
prices = [float(p.replace(",", "")) for p in re.findall(r"€([\\d,]+\\.\\d{2})", text)]
url = urlparse(re.search(r"https?://\\S+", text).group())
{"domains": sorted({e.split("@")[1] for e in emails}), "prices": prices, "query": parse_qs(url.query), "fragment": url.fragment}`,
    right: { domains: ['example.com', 'example.org'], prices: [1299, 1499], query: { b: ['1'] }, fragment: 'top' },
  },
  {
    name: 'access log: errors by path and hour',
    code: `import re
from collections import Counter
from datetime import datetime

pattern = re.compile(r'(?P<ip>\\S+) \\S+ \\S+ \\[(?P<time>[^\\]]+)\\] "(?P<method>\\S+) (?P<path>\\S+) [^"]*" (?P<status>\\d{3}) (?P<size>\\d+)')
errors, hours, traffic = Counter(), Counter(), Counter()
for line in open("access.log"):
    m = pattern.match(line)
    if not m:
        continue
    t = datetime.strptime(m["time"], "%d/%b/%Y:%H:%M:%S %z")
    hours[t.strftime("%H")] += 1
    traffic[m["ip"]] += int(m["size"])
    if m["status"].startswith("5"):
        errors[m["path"].split("?")[0]] += 1
{"errors": errors, "hours": hours, "top_ip": traffic.most_common(1)[0]}`,
    right: () => {
      const traffic = {};
      for (const { ip, bytes } of VISITS) traffic[ip] = (traffic[ip] ?? 0) + bytes;
      return {
        errors: count(VISITS.filter(({ status }) => status === 500).map(({ path }) => path.split('?')[0])),
        hours: count(VISITS.map(({ time }) => time.slice(11, 13))),
        top_ip: Object.entries(traffic).toSorted((a, b) => b[1] - a[1])[0],
      };
    },
  },
  {
    name: 'time zones: meetings across the change of summer time',
    code: `from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

berlin, new_york, kolkata = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Kolkata")
out = []
for day in ("2025-03-10", "2025-03-31"):
    start = datetime.fromisoformat(f"{day}T15:00:00").replace(tzinfo=berlin)
    out.append([start.astimezone(z).strftime("%H:%M %Z") for z in (new_york, kolkata)] + [start.utcoffset() // timedelta(hours=1)])
out`,
    right: [
      ['10:00 EDT', '19:30 IST', 1],
      ['09:00 EDT', '18:30 IST', 2],
    ],
  },
  {
    name: 'working days and ends of months',
    code: `import calendar
from datetime import date, timedelta

def workdays(start, end, holidays=()):
    days = (start + timedelta(n) for n in range((end - start).days + 1))
    return sum(1 for d in days if d.weekday() < 5 and d not in holidays)

last_fridays = []
for month in range(1, 4):
    weeks = calendar.monthcalendar(2025, month)
    last_fridays.append(max(w[calendar.FRIDAY] for w in weeks))
iso = date(2024, 12, 30).isocalendar()
{
    "workdays": workdays(date(2025, 12, 20), date(2026, 1, 6), {date(2025, 12, 25), date(2025, 12, 26), date(2026, 1, 1)}),
    "last_fridays": last_fridays,
    "iso": [iso.year, iso.week],
    "leap": [y for y in range(1896, 1912) if calendar.isleap(y)],
    "age": (lambda b, t: t.year - b.year - ((t.month, t.day) < (b.month, b.day)))(date(2000, 2, 29), date(2025, 2, 28)),
}`,
    right: { workdays: 9, last_fridays: [31, 28, 28], iso: [2025, 1], leap: [1896, 1904, 1908], age: 24 },
  },
  {
    name: 'an iCalendar file',
    code: `from datetime import datetime
import re

raw = re.sub(r"\\r?\\n[ \\t]", "", open("calendar.ics", newline="").read())
events = []
for block in re.findall(r"BEGIN:VEVENT\\r?\\n(.*?)END:VEVENT", raw, re.S):
    fields = dict(line.split(":", 1) for line in block.strip().splitlines())
    start, end = (datetime.strptime(fields[k], "%Y%m%dT%H%M%SZ") for k in ("DTSTART", "DTEND"))
    events.append({"summary": fields["SUMMARY"].replace("\\\\,", ","), "minutes": int((end - start).total_seconds() // 60), "day": start.strftime("%A")})
events`,
    right: [
      { summary: 'Planning, part one', minutes: 90, day: 'Monday' },
      { summary: 'A long title that is folded over two lines', minutes: 30, day: 'Tuesday' },
    ],
  },
  {
    name: 'XML feed with namespaces',
    code: `import xml.etree.ElementTree as ET
from email.utils import parsedate_to_datetime

root = ET.parse("feed.xml").getroot()
ns = {"dc": "http://purl.org/dc/elements/1.1/"}
items = [
    {
        "title": item.findtext("title"),
        "author": item.find("dc:creator", ns).text,
        "date": parsedate_to_datetime(item.findtext("pubDate")).date().isoformat(),
    }
    for item in root.iter("item")
]
sorted(items, key=lambda i: i["date"], reverse=True)[0]`,
    right: { title: 'Three', author: 'Author 3', date: '2025-03-05' },
  },
  {
    name: 'HTML table with html.parser',
    code: `from html.parser import HTMLParser

class Table(HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.cell = [], None
    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = ""
    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell.strip())
            self.cell = None

p = Table()
with open("page.html", encoding="utf-8") as f:
    p.feed(f.read())
p.rows[:3]`,
    right: [
      ['Product', 'Price'],
      ['Lamp', '€ 19.90'],
      ['Chair', '€ 49.50'],
    ],
  },
  {
    name: 'difference and similarity of texts',
    code: `import difflib, textwrap, unicodedata

a = "The quick brown fox\\njumps over\\nthe lazy dog\\n".splitlines(keepends=True)
b = "The quick red fox\\njumps over\\nthe lazy dog\\nagain\\n".splitlines(keepends=True)
diff = [l.rstrip("\\n") for l in difflib.unified_diff(a, b, "a", "b", n=0)]
def slug(s):
    return "-".join(unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode().lower().split())
{
    "diff": diff,
    "close": difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]),
    "slug": slug("Crème Brûlée à Zürich"),
    "wrapped": textwrap.wrap("one two three four five", 9),
}`,
    right: {
      diff: ['--- a', '+++ b', '@@ -1 +1 @@', '-The quick brown fox', '+The quick red fox', '@@ -3,0 +4 @@', '+again'],
      close: ['apple', 'ape'],
      slug: 'creme-brulee-a-zurich',
      wrapped: ['one two', 'three', 'four five'],
    },
  },
  {
    name: 'an organisation as a tree, and paths in a graph',
    code: `import json
import heapq

people = json.load(open("people.json"))["people"]
children = {}
for p in people:
    children.setdefault(p["manager"], []).append(p)

def tree(manager, depth=0):
    for p in children.get(manager, []):
        yield "  " * depth + p["name"]
        yield from tree(p["id"], depth + 1)

graph = {"A": {"B": 7, "C": 3}, "B": {"D": 2}, "C": {"B": 1, "D": 8}, "D": {}}
def shortest(start, goal):
    queue, seen = [(0, start, [start])], set()
    while queue:
        cost, node, path = heapq.heappop(queue)
        if node == goal:
            return cost, path
        if node in seen:
            continue
        seen.add(node)
        for nxt, w in graph[node].items():
            heapq.heappush(queue, (cost + w, nxt, path + [nxt]))

skills = {}
for p in people:
    for s in p["skills"]:
        skills.setdefault(s, []).append(p["name"])
{"tree": list(tree(None)), "shortest": shortest("A", "D"), "sql": skills["sql"], "no_address": [p["name"] for p in people if not p.get("address")]}`,
    right: {
      tree: ['Ana', '  Bo', '    Di', '      Flo', '    Ed', '  Cy'],
      shortest: [6, ['A', 'C', 'B', 'D']],
      sql: PEOPLE.filter(({ skills }) => skills.includes('sql')).map(({ name }) => name),
      no_address: ['Di'],
    },
  },
  {
    name: 'hashes, base64, tokens and JSON Web Tokens',
    code: `import base64, binascii, hashlib, hmac, json, uuid

data = open("article.txt", "rb").read()
secret = b"key"
header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256"}, separators=(",", ":")).encode()).rstrip(b"=")
payload = base64.urlsafe_b64encode(json.dumps({"sub": "1"}, separators=(",", ":")).encode()).rstrip(b"=")
signature = base64.urlsafe_b64encode(hmac.new(secret, header + b"." + payload, hashlib.sha256).digest()).rstrip(b"=")
{
    "sha256": hashlib.sha256(data).hexdigest(),
    "md5": hashlib.file_digest(open("article.txt", "rb"), "md5").hexdigest(),
    "crc": format(binascii.crc32(data), "08x"),
    "jwt": b".".join([header, payload, signature]).decode(),
    "uuid5": str(uuid.uuid5(uuid.NAMESPACE_DNS, "example.com")),
}`,
    right: async () => {
      const { createHash, createHmac } = await import('node:crypto');
      const { crc32 } = await import('node:zlib');
      const parts = [{ alg: 'HS256' }, { sub: '1' }].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const signed = parts.join('.');
      return {
        sha256: createHash('sha256').update(ARTICLE).digest('hex'),
        md5: createHash('md5').update(ARTICLE).digest('hex'),
        crc: crc32(ARTICLE).toString(16).padStart(8, '0'),
        jwt: `${signed}.${createHmac('sha256', 'key').update(signed).digest('base64url')}`,
        uuid5: 'cfbff0d1-9375-5685-968c-48ce8b15ae17',
      };
    },
  },
  {
    name: 'sessions of visitors with async helpers',
    code: `import asyncio, json
from datetime import datetime, timedelta

async def load():
    await asyncio.sleep(0)
    with open("events.ndjson") as f:
        return [json.loads(l) for l in f]

async def main():
    events = await load()
    last, sessions = {}, 0
    for e in sorted(events, key=lambda e: (e["ip"], e["time"])):
        t = datetime.fromisoformat(e["time"].replace("Z", "+00:00"))
        if e["ip"] not in last or t - last[e["ip"]] > timedelta(minutes=120):
            sessions += 1
        last[e["ip"]] = t
    return {"visitors": len(last), "sessions": sessions, "paths": sorted({e["path"].split("?")[0] for e in events if e["path"] != "/"})}

asyncio.run(main())`,
    right: () => {
      const last = {};
      let sessions = 0;
      for (const { ip, time } of VISITS) {
        const at = Date.parse(time);
        if (last[ip] === undefined || at - last[ip] > 7_200_000) sessions++;
        last[ip] = at;
      }
      const paths = [...new Set(VISITS.filter(isNotRoot).map(({ path }) => path.split('?')[0]))].sort();
      return { visitors: Object.keys(last).length, sessions, paths };
    },
  },
];
