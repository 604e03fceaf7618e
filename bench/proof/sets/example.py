"""A small set of this repository, in the form of the public ones: accounts of a bank, with tasks that pay."""


def open_checkout(_):
    return Bank()


ACCOUNTS = {"ann": {"email": "ann.smith@example.com", "account": "AC-1001"}, "bob": {"email": "bob.jones@example.com", "account": "AC-2002"}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
PAY = {
    "type": "object",
    "properties": {"account": {"type": "string"}, "amount": {"type": "number"}, "receipt": {"type": "string"}},
    "required": ["account", "amount"],
}

PROMPT = "Find ann, pay 5 to her account with her address as the receipt, and report the result."


class Bank:
    def tools(self):
        return [
            {"name": "find", "description": "Finds a person", "inputSchema": NAME, "annotations": {"readOnlyHint": True}},
            {"name": "pay", "description": "Pays to an account", "inputSchema": PAY},
        ]

    def tasks(self):
        pay = [{"name": "find", "arguments": {"name": "ann"}}]
        pay += [{"name": "pay", "arguments": {"account": "AC-1001", "amount": 5, "receipt": "ann.smith@example.com"}}]
        both = [*pay, {"name": "find", "arguments": {"name": "bob"}}]
        both += [{"name": "pay", "arguments": {"account": "AC-2002", "amount": 7}}]
        fails = [{"name": "find", "arguments": {"name": "eve"}}, *pay]
        return [
            {"id": "one payment", "actions": pay, "prompt": PROMPT, "facts": ["paid 5"]},
            {"id": "two payments", "actions": both},
            {"id": "an unknown person", "actions": fails},
            {"id": "unreadable", "problem": "its gold calls cannot be read"},
        ]

    def begin(self, _):
        return State([])

    def save(self, state):
        return state.payments

    def restore(self, saved):
        return State(saved)


class State:
    def __init__(self, payments):
        self.payments = payments

    def call(self, name, arguments):
        if name == "find":
            return ACCOUNTS[arguments["name"]]
        # Like public benchmarks, it changes arguments that it keeps.
        for earlier in self.payments:
            earlier["settled"] = True
        self.payments.append(arguments)
        return f"paid {arguments['amount']}"

    def state(self):
        return self.payments
