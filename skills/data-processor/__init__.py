def process(rows: list, group_by: str, where: dict = {}, sum: str = None) -> list:
    """Returns one group per value of the column `group_by`, the largest first."""
    groups = {}
    for row in rows:
        if any(row.get(column) != value for column, value in where.items()):
            continue
        key = row.get(group_by)
        group = groups.setdefault(key, {"key": key, "count": 0, **({} if sum is None else {"sum": 0})})
        group["count"] += 1
        if sum is not None:
            group["sum"] += float(row.get(sum) or 0)
    return sorted(groups.values(), key=lambda group: group.get("sum", group["count"]), reverse=True)
