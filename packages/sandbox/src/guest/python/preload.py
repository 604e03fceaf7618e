"""Imports common modules once, so that imports of programs are fast."""
from .packages import preload

MODULES = (
    "asyncio base64 bisect collections contextlib copy csv dataclasses datetime decimal difflib enum fractions functools"
    " hashlib heapq html io itertools json linecache logging math operator pathlib random re statistics string textwrap time"
    " traceback typing unicodedata urllib.parse uuid warnings zoneinfo"
)

for module in MODULES.split():
    __import__(module)
preload()
