import csv
import io

from skills.data_processor import process


async def report(path: str, group_by: str, sum: str) -> list:
    """Returns the groups of a CSV file, the largest sum first."""
    text = (await servers.files.read_text_file(path=path))["content"]
    return process(_rows_of(text), group_by, sum=sum)


def _rows_of(text: str) -> list:
    """Returns the rows of a CSV text, by the names in its first line."""
    return list(csv.DictReader(io.StringIO(text)))
