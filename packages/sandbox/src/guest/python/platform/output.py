"""The output of a program: one log line for each line of text."""
import io
import logging
import sys

#: Maximum characters of one log line; further characters are cut and counted.
MAX_CHARACTERS = 65_536
_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warn"), (logging.INFO, "info"))


class LogStream(io.TextIOBase):
    """A text stream whose lines become log lines of one level."""

    def __init__(self, bridge, level):
        super().__init__()
        self._bridge = bridge
        self._level = level
        self._parts = []
        self._held = 0

    @property
    def encoding(self):
        return "utf-8"

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        lines = text.split("\n")
        for line in lines[:-1]:
            self._keep(line)
            self.end_line()
        self._keep(lines[-1])
        return len(text)

    def log(self, level, text):
        """Sends one log line with a level."""
        over = len(text) - MAX_CHARACTERS
        self._bridge.notice("log", level, text if over <= 0 else f"{text[:MAX_CHARACTERS]}… (+{over})")

    def end_line(self):
        text = "".join(self._parts)
        over = self._held - len(text)
        self._parts, self._held = [], 0
        self.log(self._level, text if over <= 0 else f"{text}… (+{over})")

    def finish(self):
        """Sends the last line if it has no line break."""
        if self._parts:
            self.end_line()

    def _keep(self, text):
        room = MAX_CHARACTERS - min(self._held, MAX_CHARACTERS)
        if text and room:
            self._parts.append(text[:room])
        self._held += len(text)


def install_output(bridge):
    """Redirects `print`, `sys.stderr`, `logging` and `warnings` to log lines. Returns a function for the end."""
    out, errors, warned = (LogStream(bridge, level) for level in ("info", "error", "warn"))
    sys.stdout, sys.stderr, sys.stdin = out, errors, io.StringIO()
    sys.__stdout__, sys.__stderr__, sys.__stdin__ = out, errors, sys.stdin
    emit = logging.StreamHandler.emit

    def emit_record(self, record):
        if not isinstance(self.stream, LogStream):
            emit(self, record)
            return
        level = next((name for least, name in _LEVELS if record.levelno >= least), "debug")
        try:
            self.stream.log(level, self.format(record))
        except Exception:  # noqa: BLE001 - as logging itself does
            self.handleError(record)

    logging.StreamHandler.emit = emit_record
    import warnings

    def show(message, category, filename, lineno, file=None, line=None):
        (file or warned).write(f"{category.__name__}: {message} (line {lineno} of {filename})\n")

    warnings.showwarning = show

    def finish():
        for stream in (out, errors, warned):
            stream.finish()

    return finish
