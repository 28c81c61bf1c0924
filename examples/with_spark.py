"""A frame of Spark, aligned by its Python workers.

It needs Java and more packages: pip install 'forest-align[tables]' pyspark pandas
"""

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from forest_align.batches import AlignBatch

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not any other Python of this machine
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
data = spark.read.csv("corpus.csv", header=True, quote='"', escape='"').repartition(2)

# The function is pickled with the name of the model; each Python worker loads it once.
align = AlignBatch("forest", columns=("complex", "simple"))
schema = StructType([*data.schema, *from_arrow_schema(align.schema)])
aligned = data.mapInPandas(lambda batches: map(align, batches), schema)

aligned.write.parquet("aligned", mode="overwrite")
for row in spark.read.parquet("aligned").orderBy("number").collect():
    print(row.number, row.error or f"{len(row.phrases)} phrase pairs")
spark.stop()
