#!/usr/bin/env python3
"""Writes the Arrow files beside it from the scenes and the table beside it: everything that pyarrow may do to the same
columns. `pip install pyarrow`, then run it in this folder. What the files hold does not depend on pyarrow's version, their
bytes may.
"""

import csv
import json

import pyarrow as pa
from pyarrow import feather, ipc


def columns(scene, single=False):
    """A scene's columns; what a body does not say is null."""
    dimension = scene["dimension"]
    real = pa.float32() if single else pa.float64()
    types = {
        "shape": pa.uint32(),
        "position": pa.list_(pa.float64(), dimension),
        "rotation": real if dimension == 2 else pa.list_(real, 4),
        "velocity": pa.list_(pa.float64(), dimension),
        "group": pa.uint32(),
        "mask": pa.uint32(),
        "parent": pa.uint32(),
        "static": pa.bool_(),
    }
    bodies = scene["bodies"]
    used = {name: kind for name, kind in types.items() if any(name in body for body in bodies)}
    arrays = [pa.array([body.get(name) for body in bodies], kind) for name, kind in used.items()]
    metadata = {
        "jostle-format": "jostle-scene",
        "jostle-version": "1",
        "jostle-dimension": str(dimension),
        "jostle-shapes": json.dumps(scene["shapes"]),
    }
    if "periodic" in scene:
        metadata["jostle-periodic"] = json.dumps(scene["periodic"])
    return pa.table(arrays, names=list(used)).replace_schema_metadata(metadata)


def write(path, table, size=None, stream=False, **options):
    make = ipc.new_stream if stream else ipc.new_file
    with make(path, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=size)


with open("space.json") as file:
    scene = json.load(file)
space = columns(scene)
write("one-batch.arrow", space)
write("one-batch.arrows", space, stream=True)
write("batches.arrow", space, size=3)
write("batches.arrows", space, size=2, stream=True)
write("lz4.arrow", space, compression="lz4")
write("lz4.arrows", space, size=4, stream=True, compression="lz4")
write("zstd.arrow", space, compression="zstd")
write("version-4.arrow", space, metadata_version=ipc.MetadataVersion.V4)
write("legacy.arrows", space, size=3, stream=True, use_legacy_format=True)
feather.write_feather(space, "feather.arrow")
# Rows cut out of the middle of others: offsets that are no multiples of a byte in every bitmap.
around = pa.concat_tables([space] * 3)
write("slice.arrow", around.slice(len(space), len(space)))
# An empty batch before, between and after.
with ipc.new_file("empty-batches.arrow", space.schema) as writer:
    empty = pa.RecordBatch.from_pylist([], schema=space.schema)
    for start, length in [(0, 0), (0, 2), (2, 0), (2, 5), (7, 0)]:
        batch = space.slice(start, length).to_batches()
        writer.write_batch(batch[0] if batch else empty)
# Another order, and another program's metadata.
order = sorted(space.column_names, reverse=True)
other = space.select(order).replace_schema_metadata({**space.schema.metadata, b"pandas": b"{}"})
write("other-order.arrow", other)
write("no-bodies.arrow", space.slice(0, 0))

with open("plane.json") as file:
    scene = json.load(file)
write("plane.arrow", columns(scene))
# All angles are exact in single precision.
write("plane-single.arrow", columns(scene, single=True))

with open("rows.csv") as file:
    rows = list(csv.DictReader(file))


def results(real, words):
    kinds = {name: pa.float64() for name in rows[0]}
    kinds |= {"a": pa.uint32(), "b": pa.uint32(), "status": words, "minimal": words}
    kinds |= {name: real for name in ("distance", "nx", "ny", "nz", "lower", "upper")}
    # By way of text, as whoever writes such a table has the numbers and not their decimals.
    arrays = [pa.array([row[name] for row in rows]).cast(kind) for name, kind in kinds.items()]
    return pa.table(arrays, names=list(kinds))


write("rows-f32-utf8.arrow", results(pa.float32(), pa.string()))
write("rows-f64-large.arrows", results(pa.float64(), pa.large_string()), size=3, stream=True)
write("rows-view.arrow", results(pa.float64(), pa.string_view()))
encoded = results(pa.float32(), pa.string())
for name in ("status", "minimal"):
    index = encoded.column_names.index(name)
    encoded = encoded.set_column(index, name, encoded[name].dictionary_encode())
write("rows-dictionary.arrow", encoded, size=2)
# Words that come as additions to those before.
with ipc.new_stream("rows-delta.arrows", encoded.schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
    for known, batch in ((2, encoded.slice(0, 2)), (3, encoded.slice(2, 1)), (4, encoded.slice(3, 1))):
        batch = batch.to_batches()[0]
        status = batch.column("status")
        status = pa.DictionaryArray.from_arrays(status.indices, status.dictionary.slice(0, known))
        writer.write_batch(batch.set_column(batch.schema.names.index("status"), "status", status))
write("rows-dictionary.arrows", encoded.select(sorted(encoded.column_names)), size=2, stream=True)
