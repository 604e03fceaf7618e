from skills.data_processor import process
from skills.files_below import files_below


async def summarize(path: str) -> dict:
    """Returns the number of files, and a group per ending."""
    paths = await files_below(path)
    names = [path.rsplit("/", 1)[-1] for path in paths]
    rows = [{"ending": "." + name.rsplit(".", 1)[1] if "." in name else ""} for name in names]
    return {"files": len(paths), "endings": process(rows, "ending")}
