"""Pictures of figures. `pyplot` and values of programs use them."""
import base64
import io


def image_block(figure):
    """Returns a figure of matplotlib as a block with a PNG image."""
    return png_block(lambda file: figure.savefig(file, format="png", bbox_inches="tight"))


def png_block(write):
    """Returns the block for the image that `write` writes into a file."""
    file = io.BytesIO()
    write(file)
    return {"type": "image", "data": base64.b64encode(file.getvalue()).decode(), "mimeType": "image/png"}
