"""Values of packages as plain data: tables, arrays, times and figures. Imports no package: such a value exists only after its import."""
import base64
import io
import sys

from ..packages import FOLDER

#: No value of a package.
OTHER = object()


def package_value(value):
    """Returns the nearest plain form of a value, one level deep, or OTHER. Raises `TypeError` if data would be lost."""
    name = type(value).__module__.partition(".")[0]
    convert = CONVERTERS.get(name)
    if convert is None or not getattr(sys.modules.get(name), "__file__", "").startswith(FOLDER):
        return OTHER
    return convert(value, sys.modules[name])


def of_numpy(value, numpy):
    if isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        return None if numpy.isnat(value) else str(value)
    if isinstance(value, numpy.generic):
        plain = value.item()
        return OTHER if isinstance(plain, numpy.generic) else plain
    if isinstance(value, numpy.ndarray):
        return [of_numpy(item, numpy) for item in value] if value.dtype.kind in "mM" and value.ndim else value.tolist()
    return OTHER


def of_pandas(value, pandas):
    if value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, pandas.DataFrame):
        return records(value)
    if isinstance(value, pandas.Series):
        return series(value)
    if isinstance(value, (pandas.Index, pandas.api.extensions.ExtensionArray)):
        return list(value)
    if isinstance(value, (pandas.Period, pandas.Interval)):
        return str(value)
    return OTHER


def records(frame):
    """Returns the rows as dicts. An index that is not 0, 1, 2 … becomes columns."""
    if not is_default(frame.index):
        try:
            frame = frame.reset_index()
        except ValueError as error:
            raise TypeError(f"the index of a DataFrame has no column: {error}. Use df.reset_index(drop=True)") from None
    names = ["_".join(str(part) for part in name if part != "") if isinstance(name, tuple) else name for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TypeError(f"a DataFrame has two columns {twice!r}. Rename one")
    return [dict(zip(names, row)) for row in frame.itertuples(index=False, name=None)]


def series(values):
    """Returns the values as a list, or as a dict by their labels if the index has some."""
    if is_default(values.index):
        return values.tolist()
    if values.index.is_unique and values.index.nlevels == 1:
        return dict(zip(values.index, values.tolist()))
    return records(values.to_frame(name=values.name if values.name is not None else "value"))


def is_default(index):
    return index.nlevels == 1 and index.dtype.kind in "iu" and index.name is None and list(index[:1]) in ([], [0]) and bool((index == range(len(index))).all())


def of_matplotlib(value, _matplotlib):
    figure = value if hasattr(value, "savefig") else getattr(value, "figure", None)
    if not hasattr(figure, "savefig"):
        return OTHER
    return image_block(figure)


def of_pillow(value, _pillow):
    if not hasattr(value, "getbands"):
        return OTHER
    return png_block(lambda file: value.save(file, format="PNG"))


def image_block(figure):
    """Returns a figure of matplotlib as a block with a PNG image."""
    return png_block(lambda file: figure.savefig(file, format="png", bbox_inches="tight"))


def png_block(write):
    """Returns the block for the image that `write` writes into a file."""
    file = io.BytesIO()
    write(file)
    return {"type": "image", "data": base64.b64encode(file.getvalue()).decode(), "mimeType": "image/png"}


CONVERTERS = {"numpy": of_numpy, "pandas": of_pandas, "matplotlib": of_matplotlib, "PIL": of_pillow}
