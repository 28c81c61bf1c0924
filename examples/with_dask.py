"""A frame of Dask, aligned in two processes.

It needs more packages: pip install 'forest-align[tables]' 'dask[dataframe]'
"""

import dask.dataframe as dd
import pandas as pd

from forest_align.batches import AlignBatch

if __name__ == "__main__":  # Dask starts its processes anew, and they read this file
    data = dd.from_pandas(pd.read_csv("corpus.csv"), npartitions=2)
    align = AlignBatch("forest", columns=("complex", "simple"))
    # Dask wants to know the columns before it has any rows: what an empty part gives.
    aligned = data.map_partitions(align, meta=align(data.head(0, npartitions=-1)))
    for row in aligned.compute(scheduler="processes", num_workers=2).itertuples():
        print(row.number, row.error or f"{len(row.phrases)} phrase pairs")
