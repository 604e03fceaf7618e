// Programs in Python that call tools: pages, retries, many calls at once, joins and files.
import { CUSTOMERS, cents, ORDERS, revenue, sumBy } from '../data.mjs';

const withName = Object.fromEntries(CUSTOMERS.map(({ id, name }) => [id, name]));
const spent = sumBy(
  ORDERS.filter(({ customer_id }) => withName[customer_id]),
  ({ customer_id }) => customer_id,
  revenue,
);
const top = Object.entries(spent).toSorted((a, b) => b[1] - a[1]);
const celsius = { Berlin: 4.5, Paris: 8, Kraków: 1.5, Austin: 21 };

export const programs = [
  {
    name: 'all pages of a list',
    code: `rows, cursor = [], None
while True:
    page = await call_mcp_tool("shop__list_orders", {"limit": 50, **({"cursor": cursor} if cursor else {})})
    rows.extend(page["orders"])
    cursor = page.get("next_cursor")
    if not cursor:
        break
print(f"{len(rows)} orders")
{"orders": len(rows), "revenue": round(sum(r["quantity"] * r["unit_price"] for r in rows), 2)}`,
    right: { orders: ORDERS.length, revenue: cents(ORDERS.reduce((sum, order) => sum + revenue(order), 0)) },
  },
  {
    name: 'many calls at once with a limit',
    code: `import asyncio
from servers.shop import get_customer

semaphore = asyncio.Semaphore(5)
async def fetch(i):
    async with semaphore:
        return await get_customer(id=f"C{i:02d}")

customers = await asyncio.gather(*(fetch(i) for i in range(1, 21)))
by_country = {}
for c in customers:
    by_country.setdefault(c["country"], []).append(c["name"])
{k: len(v) for k, v in sorted(by_country.items())}`,
    right: { DE: 5, FR: 5, PL: 5, US: 5 },
  },
  {
    name: 'missing records and a retry',
    code: `import asyncio

async def with_retry(tool, args, attempts=4):
    for n in range(attempts):
        try:
            return await call_mcp_tool(tool, args)
        except ToolError as e:
            if "temporarily" not in str(e) or n == attempts - 1:
                raise
            await asyncio.sleep(0.01 * 2 ** n)

missing = []
for cid in ("C01", "C99"):
    try:
        await call_mcp_tool("shop__get_customer", {"id": cid})
    except ToolError as e:
        missing.append(cid)
rate = await with_retry("shop__exchange_rate", {"currency": "EUR"})
{"missing": missing, "rate": rate["rate"]}`,
    right: { missing: ['C99'], rate: 1.08 },
  },
  {
    name: 'top customers with their names, stored as a file',
    code: `import csv, json
from collections import Counter

spent = Counter()
with open("orders.csv") as f:
    for r in csv.DictReader(f):
        spent[r["customer_id"]] += int(r["quantity"]) * float(r["unit_price"])
names = {c["id"]: c["name"] for c in (await call_mcp_tool("shop__list_customers", {}))["customers"]}
top = [{"id": i, "name": names[i], "spent": round(s, 2)} for i, s in spent.most_common() if i in names][:3]
write_file("top.json", json.dumps(top, ensure_ascii=False, indent=2))
top`,
    right: top.slice(0, 3).map(([id, sum]) => ({ id, name: withName[id], spent: cents(sum) })),
    check: async (_, { read }) => JSON.parse(await read('top.json')).length === 3,
  },
  {
    name: 'weather of cities in Fahrenheit, in parallel with TaskGroup',
    code: `import asyncio

cities = ["Berlin", "Paris", "Kraków", "Austin"]
results = {}
async def one(city):
    w = await call_mcp_tool("weather__current", {"city": city})
    results[city] = round(w["celsius"] * 9 / 5 + 32, 1)
async with asyncio.TaskGroup() as tg:
    for c in cities:
        tg.create_task(one(c))
warmest = max(results, key=results.get)
{"warmest": warmest, "berlin": results["Berlin"], "mean": round(sum(results.values()) / len(results), 2)}`,
    right: {
      warmest: 'Austin',
      berlin: 40.1,
      mean: cents(Object.values(celsius).reduce((sum, each) => sum + each * 1.8 + 32, 0) / 4),
    },
  },
  {
    name: 'a report of a tool as a table of text',
    code: `data = await servers.shop.list_customers()
rows = sorted(data["customers"], key=lambda c: (c["score"] is None, -(c["score"] or 0), c["id"]))[:3]
width = max(len(r["name"]) for r in rows)
print("\\n".join(f"{r['name']:<{width}} | {r['score']:>3}" for r in rows))
[r["id"] for r in rows]`,
    right: CUSTOMERS.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1) || (a.id < b.id ? -1 : 1))
      .slice(0, 3)
      .map(({ id }) => id),
  },
  {
    name: 'pandas: a table from the answers of a tool',
    packages: ['pandas'],
    code: `import pandas as pd

customers = pd.DataFrame((await call_mcp_tool("shop__list_customers", {}))["customers"])
orders = pd.read_csv("orders.csv")
merged = orders.merge(customers, left_on="customer_id", right_on="id")
merged["signup"] = pd.to_datetime(merged["signup"])
stats = merged.assign(revenue=merged.quantity * merged.unit_price).groupby("country", as_index=False).agg(
    revenue=("revenue", "sum"), customers=("customer_id", "nunique"), first=("signup", "min")
)
stats["revenue"] = stats["revenue"].round(2)
stats[["country", "revenue", "customers"]]`,
    right: () =>
      ['DE', 'FR', 'PL', 'US'].map((country) => {
        const own = CUSTOMERS.filter((each) => each.country === country).map(({ id }) => id);
        const sum = own.reduce((total, id) => total + (spent[id] ?? 0), 0);
        return { country, revenue: cents(sum), customers: own.filter((id) => spent[id]).length };
      }),
  },
];
