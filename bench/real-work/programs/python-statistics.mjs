// Statistics and numbers in Python.
import { ORDERS, revenue, SAMPLES, VISITS } from '../data.mjs';

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1));
const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;
const xs = SAMPLES.map(({ x }) => x);
const ys = SAMPLES.map(({ y }) => y);
const covariance = SAMPLES.reduce((sum, { x, y }) => sum + (x - mean(xs)) * (y - mean(ys)), 0) / (SAMPLES.length - 1);
const slope = covariance / deviation(xs) ** 2;
const intercept = mean(ys) - slope * mean(xs);
const correlation = covariance / deviation(xs) / deviation(ys);
const [groupA, groupB] = ['A', 'B'].map((name) => SAMPLES.filter(({ group }) => group === name).map(({ y }) => y));
const welch =
  (mean(groupA) - mean(groupB)) /
  Math.sqrt(deviation(groupA) ** 2 / groupA.length + deviation(groupB) ** 2 / groupB.length);

/** Returns the quantile of sorted values as numpy and Excel interpolate it. */
function quantile(values, share) {
  const list = values.toSorted((a, b) => a - b);
  const at = (list.length - 1) * share;
  return list[Math.floor(at)] + (at % 1) * ((list[Math.floor(at) + 1] ?? 0) - list[Math.floor(at)]);
}
const [q1, q3] = [quantile(ys, 0.25), quantile(ys, 0.75)];

export const programs = [
  {
    name: 'numpy: regression line and correlation',
    packages: ['numpy'],
    code: `import json
import numpy as np

samples = json.load(open("samples.json"))
x = np.array([s["x"] for s in samples], dtype=float)
y = np.array([s["y"] for s in samples])
slope, intercept = np.polyfit(x, y, 1)
r = np.corrcoef(x, y)[0, 1]
{"slope": slope.round(4), "intercept": intercept.round(4), "r": r.round(4)}`,
    right: { slope: round(slope, 4), intercept: round(intercept, 4), r: round(correlation, 4) },
  },
  {
    name: 'numpy: quartiles and outliers',
    packages: ['numpy'],
    code: `import json
import numpy as np

y = np.array([s["y"] for s in json.load(open("samples.json"))])
q1, q3 = np.percentile(y, [25, 75])
iqr = q3 - q1
z = np.abs((y - y.mean()) / y.std(ddof=1))
{"q1": q1, "q3": q3, "iqr_outliers": y[(y < q1 - 1.5 * iqr) | (y > q3 + 1.5 * iqr)], "max_z_at": np.argmax(z)}`,
    right: () => ({
      q1,
      q3,
      iqr_outliers: ys.filter((y) => y < q1 - 1.5 * (q3 - q1) || y > q3 + 1.5 * (q3 - q1)),
      max_z_at: ys.indexOf(ys.toSorted((a, b) => Math.abs(b - mean(ys)) - Math.abs(a - mean(ys)))[0]),
    }),
  },
  {
    name: 'scipy: Welch test of two groups',
    packages: ['scipy', 'pandas'],
    code: `import pandas as pd
from scipy import stats

df = pd.read_json("samples.json")
a = df.loc[df.group == "A", "y"]
b = df.loc[df.group == "B", "y"]
t, p = stats.ttest_ind(a, b, equal_var=False)
print(f"t = {t:.4f}, p = {p:.4f}")
{"t": round(t, 4), "significant": bool(p < 0.05)}`,
    right: { t: round(welch, 4), significant: false },
  },
  {
    name: 'scipy: minimum of a function and an integral',
    packages: ['scipy', 'numpy'],
    code: `import numpy as np
from scipy.optimize import minimize_scalar, brentq
from scipy.integrate import quad

m = minimize_scalar(lambda x: (x - 2) ** 2 + 1)
root = brentq(lambda x: np.cos(x) - x, 0, 1)
area, err = quad(lambda x: np.exp(-x ** 2), -np.inf, np.inf)
[round(float(m.x), 5), round(root, 6), round(area, 6)]`,
    right: [2, 0.739085, round(Math.sqrt(Math.PI), 6)],
  },
  {
    name: 'numpy: linear equations and eigenvalues',
    packages: ['numpy'],
    code: `import numpy as np

A = np.array([[3, 1, 2], [1, 4, 0], [2, 0, 5]])
b = np.array([11, 9, 17])
x = np.linalg.solve(A, b)
assert np.allclose(A @ x, b)
{"x": x.round(6).tolist(), "det": round(float(np.linalg.det(A)), 6), "trace": float(np.linalg.eigvalsh(A).sum().round(6))}`,
    right: { x: [1, 2, 3], det: 39, trace: 12 },
  },
  {
    name: 'statistics module: description of a column',
    code: `import json
import statistics as st

y = [s["y"] for s in json.load(open("samples.json"))]
x = [s["x"] for s in json.load(open("samples.json"))]
fit = st.linear_regression(x, y)
{
    "mean": round(st.mean(y), 3),
    "median": round(st.median(y), 3),
    "stdev": round(st.stdev(y), 3),
    "quartiles": [round(q, 3) for q in st.quantiles(y, n=4, method="inclusive")],
    "r": round(st.correlation(x, y), 4),
    "slope": round(fit.slope, 4),
}`,
    right: {
      mean: round(mean(ys), 3),
      median: round(quantile(ys, 0.5), 3),
      stdev: round(deviation(ys), 3),
      quartiles: [0.25, 0.5, 0.75].map((share) => round(quantile(ys, share), 3)),
      r: round(correlation, 4),
      slope: round(slope, 4),
    },
  },
  {
    name: 'loan plan with decimals',
    code: `from decimal import Decimal, ROUND_HALF_UP, getcontext

getcontext().prec = 28
principal, rate, months = Decimal("250000"), Decimal("0.0375") / 12, 300
payment = (principal * rate / (1 - (1 + rate) ** -months)).quantize(Decimal("0.01"), ROUND_HALF_UP)
balance, interest_total = principal, Decimal(0)
for _ in range(months):
    interest = (balance * rate).quantize(Decimal("0.01"), ROUND_HALF_UP)
    balance = balance + interest - payment
    interest_total += interest
{"payment": float(payment), "near_zero": abs(balance) < 5}`,
    right: () => {
      const rate = 0.0375 / 12;
      return { payment: round((250_000 * rate) / (1 - (1 + rate) ** -300), 2), near_zero: true };
    },
  },
  {
    name: 'simulation with a seed of its own',
    code: `import random

rng = random.Random(42)
inside = sum(1 for _ in range(200_000) if rng.random() ** 2 + rng.random() ** 2 <= 1)
pi = 4 * inside / 200_000
random.seed(7)
first = [random.randint(1, 6) for _ in range(5)]
random.seed(7)
{"close": abs(pi - 3.14159) < 0.02, "repeatable": first == [random.randint(1, 6) for _ in range(5)]}`,
    right: { close: true, repeatable: true },
  },
  {
    name: 'percentiles of response sizes from lines of JSON',
    code: `import json, math
from collections import Counter

sizes, statuses = [], Counter()
with open("events.ndjson") as f:
    for line in f:
        e = json.loads(line)
        sizes.append(e["bytes"])
        statuses[e["status"]] += 1
sizes.sort()
def pct(p):
    return sizes[math.ceil(p / 100 * len(sizes)) - 1]
{"p50": pct(50), "p95": pct(95), "statuses": statuses}`,
    right: () => {
      const sizes = VISITS.map(({ bytes }) => bytes).sort((a, b) => a - b);
      const count = (status) => VISITS.filter((visit) => visit.status === status).length;
      return { p50: sizes[149], p95: sizes[284], statuses: { 200: count(200), 404: count(404), 500: count(500) } };
    },
  },
  {
    name: 'fractions and exact whole numbers',
    code: `from fractions import Fraction
from math import comb, factorial, gcd, isqrt, lcm

h = sum(Fraction(1, n) for n in range(1, 21))
{
    "harmonic": str(h),
    "digits": len(str(factorial(100))),
    "comb": comb(52, 5),
    "lcm": lcm(*range(1, 21)),
    "gcd": gcd(1071, 462),
    "isqrt": isqrt(10**20 + 1),
    "power": str(2**100),
}`,
    right: {
      harmonic: '55835135/15519504',
      digits: 158,
      comb: 2_598_960,
      lcm: 232_792_560,
      gcd: 21,
      isqrt: 10_000_000_000,
      power: String(2n ** 100n),
    },
  },
  {
    name: 'cohorts by quarter with dataclasses',
    code: `import csv
from collections import defaultdict
from dataclasses import dataclass, field, asdict
from datetime import date

@dataclass(order=True)
class Quarter:
    label: str
    orders: int = 0
    revenue: float = 0.0
    customers: set[str] = field(default_factory=set)

quarters: dict[str, Quarter] = {}
for row in csv.DictReader(open("orders.csv")):
    d = date.fromisoformat(row["date"])
    label = f"{d.year}-Q{(d.month - 1) // 3 + 1}"
    q = quarters.setdefault(label, Quarter(label))
    q.orders += 1
    q.revenue += int(row["quantity"]) * float(row["unit_price"])
    q.customers.add(row["customer_id"])
[{"label": q.label, "orders": q.orders, "revenue": round(q.revenue, 2), "customers": len(q.customers)} for q in sorted(quarters.values())]`,
    right: () =>
      [1, 2, 3, 4].map((quarter) => {
        const own = ORDERS.filter(({ date }) => Math.ceil(Number(date.slice(5, 7)) / 3) === quarter);
        return {
          label: `2025-Q${quarter}`,
          orders: own.length,
          revenue: round(
            own.reduce((sum, order) => sum + revenue(order), 0),
            2,
          ),
          customers: new Set(own.map(({ customer_id }) => customer_id)).size,
        };
      }),
  },
];
