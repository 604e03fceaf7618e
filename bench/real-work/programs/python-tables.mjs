// Tables in Python: with pandas, and with the standard library.
import { CUSTOMERS, cents, INVOICES, mapValues, ORDERS, revenue, sumBy } from '../data.mjs';

const byProduct = mapValues(
  sumBy(ORDERS, (order) => order.product, revenue),
  cents,
);
const monthly = mapValues(
  sumBy(ORDERS, (order) => order.date.slice(0, 7), revenue),
  cents,
);
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
const ranked = Object.entries(byProduct).sort((a, b) => b[1] - a[1]);
const cityOf = Object.fromEntries(CUSTOMERS.map(({ id, city }) => [id, city]));
const known = ORDERS.filter(({ customer_id }) => cityOf[customer_id]);
const isNorth = ({ region }) => region === 'North';
const scores = CUSTOMERS.flatMap(({ score }) => (score === null ? [] : [score])).sort((a, b) => a - b);
const middle = scores.length / 2;
const median = Number.isInteger(middle) ? (scores[middle - 1] + scores[middle]) / 2 : scores[Math.floor(middle)];

export const programs = [
  {
    name: 'pandas: revenue by product',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv")
df["revenue"] = df["quantity"] * df["unit_price"]
summary = df.groupby("product")["revenue"].sum().sort_values(ascending=False).round(2)
print(summary.to_string())
summary.to_dict()`,
    right: byProduct,
  },
  {
    name: 'pandas: revenue by month with resample',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv", parse_dates=["date"])
df["revenue"] = df["quantity"] * df["unit_price"]
monthly = df.set_index("date")["revenue"].resample("MS").sum().round(2)
{d.strftime("%Y-%m"): v for d, v in monthly.items()}`,
    right: sorted(monthly),
  },
  {
    name: 'pandas: pivot of regions and products',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv")
pivot = pd.pivot_table(df, index="region", columns="product", values="quantity", aggfunc="sum", fill_value=0)
print(pivot)
result = {region: {p: int(v) for p, v in row.items()} for region, row in pivot.iterrows()}`,
    right: () => {
      const table = {};
      for (const { region, product, quantity } of ORDERS) {
        table[region] ??= { Chair: 0, Desk: 0, Lamp: 0, Shelf: 0, Sofa: 0 };
        table[region][product] += quantity;
      }
      return table;
    },
  },
  {
    name: 'pandas: join with customers, revenue by city',
    packages: ['pandas'],
    code: `import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv")
merged = orders.merge(customers, left_on="customer_id", right_on="id", how="left")
unmatched = int(merged["city"].isna().sum())
merged["revenue"] = merged.quantity * merged.unit_price
by_city = merged.dropna(subset=["city"]).groupby("city").revenue.sum().round(2)
{"unmatched": unmatched, "by_city": by_city.to_dict()}`,
    right: {
      unmatched: ORDERS.length - known.length,
      by_city: mapValues(
        sumBy(known, (order) => cityOf[order.customer_id], revenue),
        cents,
      ),
    },
  },
  {
    name: 'pandas: missing scores filled by the median',
    packages: ['pandas'],
    code: `import pandas as pd
import numpy as np

df = pd.read_csv("customers.csv", encoding="utf-8-sig")
missing = int(df["score"].isna().sum())
median = df["score"].median()
df["score"] = df["score"].fillna(median)
df["band"] = pd.cut(df["score"], bins=[0, 60, 80, np.inf], labels=["low", "mid", "high"])
{"missing": missing, "median": float(median), "bands": df["band"].value_counts().to_dict()}`,
    right: () => {
      const bands = { low: 0, mid: 0, high: 0 };
      for (const { score } of CUSTOMERS)
        bands[(score ?? median) <= 60 ? 'low' : (score ?? median) <= 80 ? 'mid' : 'high']++;
      return { missing: CUSTOMERS.length - scores.length, median, bands };
    },
  },
  {
    name: 'pandas: a German export',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("rechnungen.csv", sep=";", decimal=",", thousands=".", encoding="latin-1", dtype={"Datum": str})
df["Datum"] = pd.to_datetime(df["Datum"], format="%d.%m.%Y")
df.groupby("Kunde")["Betrag"].agg(["count", "sum"]).round(2).reset_index().to_dict("records")`,
    right: () => {
      const names = [...new Set(INVOICES.map(({ customer }) => customer))].sort();
      return names.map((Kunde) => {
        const own = INVOICES.filter(({ customer }) => customer === Kunde);
        return { Kunde, count: own.length, sum: own.reduce((sum, each) => sum + each.cents, 0) / 100 };
      });
    },
  },
  {
    name: 'pandas: top three rows as a result',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv", parse_dates=["date"])
df["revenue"] = (df["quantity"] * df["unit_price"]).round(2)
df.sort_values(["revenue", "order_id"], ascending=[False, True]).head(3)[["order_id", "date", "revenue"]]`,
    right: ORDERS.toSorted((a, b) => revenue(b) - revenue(a) || a.order_id - b.order_id)
      .slice(0, 3)
      .map((order) => ({
        index: order.order_id - 1001,
        order_id: order.order_id,
        date: `${order.date}T00:00:00`,
        revenue: cents(revenue(order)),
      })),
  },
  {
    name: 'pandas: rolling mean and percent change',
    packages: ['pandas'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv", parse_dates=["date"])
monthly = df.assign(revenue=df.quantity * df.unit_price).groupby(df.date.dt.to_period("M"))["revenue"].sum()
rolling = monthly.rolling(3).mean()
change = monthly.pct_change() * 100
result = {
    "last_rolling": round(float(rolling.iloc[-1]), 2),
    "best_month": str(monthly.idxmax()),
    "max_change": round(float(change.max()), 1),
}`,
    right: () => {
      const sums = Object.entries(sorted(sumBy(ORDERS, (order) => order.date.slice(0, 7), revenue)));
      const values = sums.map(([, sum]) => sum);
      const changes = values.slice(1).map((value, at) => (value / values[at] - 1) * 100);
      return {
        last_rolling: cents(values.slice(-3).reduce((sum, value) => sum + value, 0) / 3),
        best_month: sums.toSorted((a, b) => b[1] - a[1])[0][0],
        max_change: Math.round(Math.max(...changes) * 10) / 10,
      };
    },
  },
  {
    name: 'csv module: revenue by product',
    code: `import csv
from collections import defaultdict

totals = defaultdict(float)
with open("orders.csv", newline="", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        totals[row["product"]] += int(row["quantity"]) * float(row["unit_price"])

ranking = sorted(totals.items(), key=lambda kv: kv[1], reverse=True)
for name, total in ranking:
    print(f"{name:<10}{total:>12,.2f}")
[[name, round(total, 2)] for name, total in ranking]`,
    right: ranked,
  },
  {
    name: 'csv module: write a filtered table',
    code: `import csv
from pathlib import Path

src = Path("/workspace/orders.csv")
dst = Path("/workspace/out/north.csv")
dst.parent.mkdir(parents=True, exist_ok=True)
with src.open(newline="") as fin, dst.open("w", newline="") as fout:
    reader = csv.DictReader(fin)
    writer = csv.DictWriter(fout, fieldnames=reader.fieldnames + ["total"])
    writer.writeheader()
    n = 0
    for row in reader:
        if row["region"] == "North":
            row["total"] = f'{int(row["quantity"]) * float(row["unit_price"]):.2f}'
            writer.writerow(row)
            n += 1
print(dst.stat().st_size)
{"rows": n, "header": dst.read_text().splitlines()[0]}`,
    right: {
      rows: ORDERS.filter(isNorth).length,
      header: 'order_id,date,region,product,quantity,unit_price,customer_id,total',
    },
    async check(_, { read }) {
      const lines = String(await read('out/north.csv'))
        .trim()
        .split('\r\n');
      return lines.length === ORDERS.filter(isNorth).length + 1;
    },
  },
  {
    name: 'decimal: exact sum of a German export',
    code: `import csv
from decimal import Decimal

total = Decimal(0)
with open("rechnungen.csv", encoding="cp1252", newline="") as f:
    for row in csv.DictReader(f, delimiter=";"):
        total += Decimal(row["Betrag"].replace(".", "").replace(",", "."))
str(total)`,
    right: (INVOICES.reduce((sum, each) => sum + each.cents, 0) / 100).toFixed(2),
  },
  {
    name: 'duplicates and groups with itertools',
    code: `import csv
from itertools import groupby
from operator import itemgetter

with open("customers.csv", encoding="utf-8-sig") as f:
    rows = list(csv.DictReader(f))
rows.sort(key=itemgetter("country", "name"))
groups = {k: [r["name"].split(", ")[0] for r in g] for k, g in groupby(rows, key=itemgetter("country"))}
{k: sorted(set(v)) for k, v in groups.items()}`,
    right: () => {
      const groups = {};
      for (const { country, name } of CUSTOMERS) {
        groups[country] ??= new Set();
        groups[country].add(name.split(', ')[0]);
      }
      return mapValues(groups, (names) => [...names].sort());
    },
  },
];
