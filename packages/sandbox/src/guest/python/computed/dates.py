"""Dates of birth that are placeholders: the host compares them."""
import operator

DAY_MS = 86_400_000


class Compared:
    """An object that the host compares. `_compare` returns the answer for `<`, `<=` and `==`, or raises."""

    def __lt__(self, other):
        return self._compare("<", other)

    def __le__(self, other):
        return self._compare("<=", other)

    def __gt__(self, other):
        return not self._compare("<=", other)

    def __ge__(self, other):
        return not self._compare("<", other)

    def __eq__(self, other):
        return self._compare("==", other)

    def __ne__(self, other):
        return not self._compare("==", other)

    __hash__ = None


OPERATORS = {"<": operator.lt, "<=": operator.le, "==": operator.eq}


class Born(Compared):
    """A date of which the program reads the year, its order and its format."""

    def __init__(self, text, place, values):
        self._text = text
        self._place = place
        self._values = values

    def _computed(self, *expression):
        found = self._values.compute(self._text, self._place, *expression)
        if found is None:
            raise ValueError(f"Invalid isoformat string: {self._text!r}")
        return found

    @property
    def year(self):
        return int(self._computed("fact", "year", 4))

    @property
    def month(self):
        return Part(self, "month")

    @property
    def day(self):
        return Part(self, "day")

    def date(self):
        return self

    def isoformat(self):
        return self._text

    __str__ = isoformat

    def strftime(self, form):
        return self._computed("format", form)

    __format__ = strftime

    def _compare(self, symbol, other):
        if isinstance(other, Born):
            return OPERATORS[symbol](self._values.difference(self._text, other._text, self._place), 0)
        return OPERATORS[symbol](self._computed("since", time_of(other)), 0)

    def __rsub__(self, time):
        return Span(self, time)


class Part(Compared):
    """The month or the day of a date."""

    def __init__(self, born, name):
        self._born = born
        self._name = name

    def _compare(self, symbol, other):
        return self._born._computed("datepart", self._name, symbol, int(other))


class Span:
    """The time since a date, of which the program reads the whole years."""

    def __init__(self, born, time):
        self._born = born
        self._time = time
        self.days = self

    def __floordiv__(self, days):
        from datetime import datetime, timezone

        time = datetime.fromisoformat(time_of(self._time).replace("Z", "+00:00"))
        until = (time - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1000
        return self._born._computed("spans", until, days * DAY_MS)

    def __truediv__(self, days):
        return Quotient(self, days)


class Quotient:
    """The years since a date, which the program rounds down."""

    def __init__(self, span, days):
        self._span = span
        self._days = days

    def __int__(self):
        return self._span // self._days

    __floor__ = __trunc__ = __int__


def time_of(date):
    """Returns a date or time in ISO form and UTC. Raises `AttributeError` for another object."""
    text = date.isoformat()
    return text if "T" not in text or text.endswith("Z") or "+" in text[10:] else f"{text}Z"
