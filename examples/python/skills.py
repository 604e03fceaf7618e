# Saves a function as a skill. Later programs of the user import it, or run it by name.
import os

os.makedirs("/skills/late-orders", exist_ok=True)
write_file("/skills/late-orders/SKILL.md", "---\nname: late-orders\ndescription: Keeps the orders that are late.\n---\n")
write_file(
    "/skills/late-orders/__init__.py",
    "def late_orders(orders: list) -> list:\n    return [order for order in orders if order['status'] == 'late']\n",
)
result = await run_skill("late-orders", {"orders": [{"id": 1, "status": "late"}, {"id": 2, "status": "paid"}]})
