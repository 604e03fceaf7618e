"""The backend of matplotlib: `plt.show()` shows each figure to the caller as a PNG image."""
import builtins

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from .tables import image_block

FigureManager = FigureManagerBase


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManagerBase


def show(*_arguments, **_options):
    """Shows all open figures, and closes them: a second call shows only new ones."""
    for manager in Gcf.get_all_fig_managers():
        builtins.show(image_block(manager.canvas.figure))
    Gcf.destroy_all()
