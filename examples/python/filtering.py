# Reads all orders, and returns the few that matter.
import json

orders = json.loads((await servers.files.read_text_file(path="orders.json"))["content"])
late = [order for order in orders if order["status"] == "late"]
result = {"orders": len(orders), "late": len(late), "largest": max(late, key=lambda order: order["amount"])}
