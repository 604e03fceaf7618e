// Charts, office files, PDF, pictures and markup in Python.
import { cents, ORDERS, PARAGRAPHS, PDF_PAGES, revenue, sumBy } from '../data.mjs';
import { hasPicture, isZipWith } from '../right.mjs';

const first40 = ORDERS.slice(0, 40);

export const programs = [
  {
    name: 'matplotlib: bar chart shown by plt.show',
    packages: ['matplotlib', 'pandas'],
    code: `import pandas as pd
import matplotlib.pyplot as plt

df = pd.read_csv("orders.csv")
df["revenue"] = df.quantity * df.unit_price
by_region = df.groupby("region")["revenue"].sum().sort_values()
fig, ax = plt.subplots(figsize=(8, 4))
by_region.plot.barh(ax=ax, color="steelblue")
ax.set_xlabel("Revenue (€)")
ax.set_title("Revenue by region")
plt.tight_layout()
plt.show()
by_region.idxmax()`,
    right: () => Object.entries(sumBy(ORDERS, (order) => order.region, revenue)).toSorted((a, b) => b[1] - a[1])[0][0],
    check: hasPicture,
  },
  {
    name: 'matplotlib: chart saved to a file and shown',
    packages: ['matplotlib', 'numpy'],
    code: `import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 200)
plt.figure(figsize=(6, 4), dpi=100)
plt.plot(x, np.sin(x), label="sin")
plt.plot(x, np.cos(x), "--", label="cos")
plt.legend()
plt.savefig("waves.png")
plt.close()
show("waves.png")
"saved"`,
    right: 'saved',
    check: hasPicture,
  },
  {
    name: 'openpyxl: read a workbook',
    packages: ['openpyxl'],
    code: `from openpyxl import load_workbook

wb = load_workbook("book.xlsx", data_only=True)
ws = wb["Orders"]
rows = ws.iter_rows(min_row=2, values_only=True)
total = sum(r[4] * r[5] for r in rows)
targets = {r[0].value: r[1].value for r in wb["Targets"].iter_rows(min_row=2)}
{"sheets": wb.sheetnames, "rows": ws.max_row - 1, "total": round(total, 2), "targets": targets}`,
    right: {
      sheets: ['Orders', 'Targets'],
      rows: 40,
      total: cents(first40.reduce((sum, order) => sum + revenue(order), 0)),
      targets: { North: 1000, South: 2000, East: 3000, West: 4000 },
    },
  },
  {
    name: 'openpyxl: a formatted report with a chart',
    packages: ['openpyxl'],
    code: `import csv
from collections import Counter
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter

counts = Counter()
for row in csv.DictReader(open("orders.csv")):
    counts[row["product"]] += int(row["quantity"])

wb = Workbook()
ws = wb.active
ws.title = "Units"
ws.append(["Product", "Units"])
for cell in ws[1]:
    cell.font = Font(bold=True, color="FFFFFF")
    cell.fill = PatternFill("solid", fgColor="4472C4")
for product, units in counts.most_common():
    ws.append([product, units])
ws["A8"] = "Total"
ws["B8"] = f"=SUM(B2:B{len(counts) + 1})"
ws.column_dimensions[get_column_letter(1)].width = 18
chart = BarChart()
chart.add_data(Reference(ws, min_col=2, min_row=1, max_row=6), titles_from_data=True)
chart.set_categories(Reference(ws, min_col=1, min_row=2, max_row=6))
ws.add_chart(chart, "D2")
wb.save("report.xlsx")
show("report.xlsx")
counts.most_common(1)[0]`,
    right: () =>
      Object.entries(
        sumBy(
          ORDERS,
          (order) => order.product,
          ({ quantity }) => quantity,
        ),
      ).toSorted((a, b) => b[1] - a[1])[0],
    check: isZipWith('report.xlsx', 'xl/worksheets/sheet1.xml', 'xl/charts/chart1.xml'),
  },
  {
    name: 'pandas: two sheets in Excel and back',
    packages: ['pandas', 'openpyxl'],
    code: `import pandas as pd

df = pd.read_csv("orders.csv")
with pd.ExcelWriter("summary.xlsx") as writer:
    df.head(10).to_excel(writer, sheet_name="Head", index=False)
    df.groupby("region")["quantity"].sum().to_excel(writer, sheet_name="By region")
back = pd.read_excel("summary.xlsx", sheet_name=None)
{name: len(sheet) for name, sheet in back.items()}`,
    right: { Head: 10, 'By region': 4 },
    check: isZipWith('summary.xlsx', 'xl/worksheets/sheet2.xml'),
  },
  {
    name: 'xlsxwriter: workbook in memory',
    packages: ['xlsxwriter'],
    code: `import io
import xlsxwriter

buffer = io.BytesIO()
wb = xlsxwriter.Workbook(buffer, {"in_memory": True})
ws = wb.add_worksheet("Data")
money = wb.add_format({"num_format": "#,##0.00"})
for i, (name, amount) in enumerate([("a", 1.5), ("b", 2.25)]):
    ws.write(i, 0, name)
    ws.write(i, 1, amount, money)
wb.close()
data = buffer.getvalue()
with open("data.xlsx", "wb") as f:
    f.write(data)
data[:2].decode()`,
    right: 'PK',
    check: isZipWith('data.xlsx', 'xl/worksheets/sheet1.xml'),
  },
  {
    name: 'python-docx: read a letter and write one',
    packages: ['python-docx'],
    code: `from docx import Document
from docx.shared import Pt

texts = [p.text for p in Document("letter.docx").paragraphs]
doc = Document()
doc.add_heading("Summary", level=1)
p = doc.add_paragraph("Sold ")
p.add_run("1,234 lamps").bold = True
table = doc.add_table(rows=1, cols=2)
table.rows[0].cells[0].text = "Item"
table.rows[0].cells[1].text = "Units"
doc.styles["Normal"].font.size = Pt(11)
doc.save("summary.docx")
texts`,
    right: PARAGRAPHS,
    check: isZipWith('summary.docx', 'word/document.xml'),
  },
  {
    name: 'pypdf: totals of invoices, and the second page as a file',
    packages: ['pypdf'],
    code: `import re
from pypdf import PdfReader, PdfWriter

reader = PdfReader("invoices.pdf")
totals = []
for page in reader.pages:
    m = re.search(r"Total:\\s*([\\d,.]+)", page.extract_text())
    totals.append(float(m.group(1).replace(",", "")))
writer = PdfWriter()
writer.add_page(reader.pages[1])
with open("second.pdf", "wb") as f:
    writer.write(f)
{"pages": len(reader.pages), "totals": totals, "kept": len(PdfReader("second.pdf").pages)}`,
    right: { pages: PDF_PAGES.length, totals: [1284.5, 99.9], kept: 1 },
  },
  {
    name: 'reportlab: a PDF with a table',
    packages: ['reportlab'],
    code: `from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

styles = getSampleStyleSheet()
doc = SimpleDocTemplate("invoice.pdf", pagesize=A4)
data = [["Item", "Qty", "Price"], ["Lamp", "2", "39.80"], ["Desk", "1", "129.00"]]
table = Table(data)
table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)]))
doc.build([Paragraph("Invoice 42", styles["Title"]), Spacer(1, 12), table])
show("invoice.pdf")
open("invoice.pdf", "rb").read(5).decode()`,
    right: '%PDF-',
    check: async (_, { read }) => String(await read('invoice.pdf')).includes('%%EOF'),
  },
  {
    name: 'Pillow: thumbnail, crop and average colour',
    packages: ['pillow'],
    code: `from PIL import Image, ImageStat

img = Image.open("photo.png").convert("RGB")
left = img.crop((0, 0, img.width // 2, img.height))
stats = ImageStat.Stat(left)
thumb = img.copy()
thumb.thumbnail((60, 60))
thumb.save("thumb.jpg", quality=85)
show("thumb.jpg")
{"size": img.size, "thumb": thumb.size, "left": [round(v) for v in stats.mean]}`,
    right: { size: [120, 80], thumb: [60, 40], left: [200, 0, 0] },
    check: hasPicture,
  },
  {
    name: 'Pillow: text on a picture, returned as an image',
    packages: ['pillow'],
    code: `from PIL import Image, ImageDraw, ImageFilter

img = Image.open("photo.png").rotate(90, expand=True).filter(ImageFilter.GaussianBlur(2))
draw = ImageDraw.Draw(img)
draw.rectangle([5, 5, 60, 25], fill="white")
draw.text((10, 8), "Hello", fill="black")
img.save("labelled.png")
show("labelled.png")
img.size`,
    right: [80, 120],
    check: hasPicture,
  },
  {
    name: 'BeautifulSoup: table and links of a page',
    packages: ['beautifulsoup4'],
    code: `from bs4 import BeautifulSoup
from urllib.parse import urljoin

soup = BeautifulSoup(open("page.html", encoding="utf-8").read(), "html.parser")
prices = {}
for tr in soup.select("#prices tbody tr"):
    name, price = [td.get_text(strip=True) for td in tr.find_all("td")]
    prices[name] = float(price.lstrip("€ "))
links = [(a.get_text(" ", strip=True), urljoin("https://shop.example/x/", a["href"])) for a in soup.find_all("a")]
{"title": soup.title.string, "prices": prices, "links": links}`,
    right: {
      title: 'Price list & more',
      prices: { Lamp: 19.9, Chair: 49.5, Desk: 129, Shelf: 79.25, Sofa: 399 },
      links: [
        ['First', 'https://shop.example/a?x=1&y=2'],
        ['Second link', 'https://example.org/b'],
      ],
    },
  },
  {
    name: 'lxml: XPath over a feed',
    packages: ['lxml'],
    code: `from lxml import etree

tree = etree.parse("feed.xml")
ns = {"dc": "http://purl.org/dc/elements/1.1/"}
[
    {"title": i.findtext("title"), "author": i.findtext("dc:creator", namespaces=ns), "length": int(i.xpath("enclosure/@length")[0])}
    for i in tree.xpath("//item[enclosure/@length > 150]")
]`,
    right: [
      { title: 'Two & a half', author: 'Author 2', length: 200 },
      { title: 'Three', author: 'Author 3', length: 300 },
    ],
  },
  {
    name: 'yaml: settings changed and written',
    packages: ['pyyaml'],
    code: `import yaml

with open("settings.yaml") as f:
    cfg = yaml.safe_load(f)
cfg["replicas"] += 2
cfg["services"][0]["ports"].append(8443)
with open("settings.yaml", "w") as f:
    yaml.safe_dump(cfg, f, sort_keys=False)
again = yaml.safe_load(open("settings.yaml"))
{"replicas": again["replicas"], "ports": again["services"][0]["ports"], "rate": again["services"][0]["env"]["RATE"], "command": again["services"][1]["command"]}`,
    right: { replicas: 5, ports: [80, 443, 8443], rate: 0.5, command: 'run --all\nexit\n' },
  },
  {
    name: 'jinja2 and markdown: a page from a template',
    packages: ['jinja2', 'markdown'],
    code: `import markdown
from jinja2 import Template

body = markdown.markdown(open("report.md").read(), extensions=["tables", "fenced_code"])
page = Template("<h1>{{ title|upper }}</h1>{% for r in rows if r.n > 1 %}<p>{{ r.name|e }}: {{ '%.2f'|format(r.n) }}</p>{% endfor %}").render(
    title="report", rows=[{"name": "a<b", "n": 2}, {"name": "c", "n": 1}]
)
write_file("page2.html", page + body)
{"page": page, "tables": body.count("<table>"), "headings": body.count("<h1>") + body.count("<h2>")}`,
    right: { page: '<h1>REPORT</h1><p>a&lt;b: 2.00</p>', tables: 1, headings: 2 },
  },
];
