"""Arrow IPC between jostle and pyarrow, both ways: the same scenes, the same rows, and the types that the format specifies.

Usage: arrow_both_ways.py JOSTLE
"""

import csv
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, ipc

JOSTLE = sys.argv[1]


def jostle(*arguments, stdin=None):
    """Standard output of a run that must succeed without messages."""
    run = subprocess.run([JOSTLE, *map(str, arguments)], input=stdin, capture_output=True)
    assert run.returncode == 0 and not run.stderr, (arguments, run.stderr.decode())
    return run.stdout


KINDS = [line.split()[0] for line in jostle("generate", "--list").decode().splitlines()]


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


def numbers(dimension):
    return pa.list_(pa.float64(), dimension)


def types(dimension):
    """The columns of a scene."""
    return {
        "shape": pa.uint32(),
        "position": numbers(dimension),
        "rotation": pa.float64() if dimension == 2 else numbers(4),
        "velocity": numbers(dimension),
        "group": pa.uint32(),
        "mask": pa.uint32(),
        "parent": pa.uint32(),
        "static": pa.bool_(),
    }


def defaults(dimension):
    return {
        "rotation": 0.0 if dimension == 2 else [0.0, 0.0, 0.0, 1.0],
        "velocity": [0.0] * dimension,
        "group": 0xFFFFFFFF,
        "mask": 0xFFFFFFFF,
        "parent": None,
        "static": False,
    }


def check_scene(table, scene):
    """Checks that a scene written by jostle has the content of its JSON."""
    dimension = scene["dimension"]
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    same(metadata["jostle-format"], "jostle-scene", "format")
    same(metadata["jostle-version"], "1", "version")
    same(metadata["jostle-dimension"], str(dimension), "dimension")
    same(json.loads(metadata["jostle-shapes"]), scene["shapes"], "shapes")
    for field in table.schema:
        same(field.type, types(dimension)[field.name], f"type of {field.name}")
    fill = defaults(dimension)
    said = {name for body in scene["bodies"] for name in body}
    same(set(table.column_names), said | {"shape", "position"}, "columns")
    for body, row in zip(scene["bodies"], table.to_pylist(), strict=True):
        for name, value in row.items():
            same(value, body.get(name, fill.get(name)), name)


def pyarrow_scene(scene, path, draw):
    """Writes a scene in one of the many ways of pyarrow, chosen at random."""
    dimension, bodies = scene["dimension"], scene["bodies"]
    used = {name: kind for name, kind in types(dimension).items() if any(name in body for body in bodies)}
    fill = defaults(dimension) if draw.random() < 0.5 else {}
    arrays = [pa.array([body.get(name, fill.get(name)) for body in bodies], kind) for name, kind in used.items()]
    table = pa.table(arrays, names=list(used)).replace_schema_metadata(
        {
            "jostle-format": "jostle-scene",
            "jostle-version": "1",
            "jostle-dimension": str(dimension),
            "jostle-shapes": json.dumps(scene["shapes"]),
        }
    )
    if draw.random() < 0.5:
        # Rows sliced out of a longer table.
        table = pa.concat_tables([table.slice(draw.randrange(len(table))), table, table]).slice(0)
        start = len(table) - 2 * len(bodies)
        table = table.slice(start, len(bodies))
    if draw.random() < 0.5:
        table = table.combine_chunks()
    compression = draw.choice([None, "lz4"])
    if draw.random() < 0.2:
        feather.write_feather(table, path, compression=compression or "uncompressed")
        return
    make = draw.choice([ipc.new_file, ipc.new_stream])
    with make(path, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=draw.choice([None, 1, 7, 64]))


def as_single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def check_rows(table, text, real, certificate):
    """Checks that a result table written by jostle has the content of its CSV, in the right types."""
    expected = {"a": pa.uint32(), "b": pa.uint32(), "distance": real}
    words = pa.dictionary(pa.int8(), pa.string())
    if certificate:
        expected |= {"lower": real, "upper": real, "status": words, "minimal": words}
    rows = list(csv.DictReader(text.decode().splitlines()))
    header = text.decode().split("\n", 1)[0].split(",")
    same(table.column_names, header, "columns")
    for field in table.schema:
        kind = real if field.name in ("nx", "ny", "nz") else expected.get(field.name, pa.float64())
        same(field.type, kind, f"type of {field.name}")
    for row, cells in zip(table.to_pylist(), rows, strict=True):
        for name, value in row.items():
            kind = table.schema.field(name).type
            if kind == words:
                same(value, cells[name], name)
            else:
                read = float(cells[name])
                same(value, as_single(read) if kind == pa.float32() else read, name)


def pyarrow_rows(text, real, path, draw):
    """Writes a result table as a user of pyarrow might."""
    rows = list(csv.DictReader(text.decode().splitlines()))
    kinds = {name: pa.float64() for name in rows[0]} | {"a": pa.uint32(), "b": pa.uint32()}
    kinds |= {name: real for name in ("distance", "nx", "ny", "nz", "lower", "upper") if name in kinds}
    kinds |= {name: draw.choice([pa.string(), pa.large_string()]) for name in ("status", "minimal") if name in kinds}
    arrays = [pa.array([row[name] for row in rows]).cast(kind) for name, kind in kinds.items()]
    table = pa.table(arrays, names=list(kinds))
    if "status" in kinds and draw.random() < 0.5:
        place = table.column_names.index("status")
        table = table.set_column(place, "status", table["status"].dictionary_encode())
    make = draw.choice([ipc.new_file, ipc.new_stream])
    with make(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=draw.choice([None, 5, 50]))


def main(folder):
    draw = random.Random(1)
    file, stream, text = folder / "s.arrow", folder / "s.arrows", folder / "s.json"
    rows, theirs = folder / "rows.arrow", folder / "theirs.arrow"
    tables = 0
    for kind in KINDS:
        for dimension in (2, 3):
            what = ("generate", kind, "--bodies", 400, "--dimension", dimension, "--seed", 5)
            for path in (file, stream, text):
                jostle(*what, "-o", path)
            scene = json.loads(text.read_text())
            check_scene(ipc.open_file(file).read_all(), scene)
            check_scene(ipc.open_stream(stream).read_all(), scene)
            for precision, real in (("f32", pa.float32()), ("f64", pa.float64())):
                certificate = draw.choice([["--certificate"], []])
                asked = ("--margin", 0.3, "--precision", precision, *certificate)
                expected = jostle("contacts", text, *asked)
                for _ in range(3):
                    pyarrow_scene(scene, theirs, draw)
                    same(jostle("contacts", theirs, *asked), expected, f"{kind} from pyarrow")
                    same(jostle("contacts", "-", *asked, stdin=theirs.read_bytes()), expected, f"{kind} piped")
                jostle("contacts", file, *asked, "-o", rows)
                check_rows(ipc.open_file(rows).read_all(), expected, real, certificate)
                piped = jostle("contacts", file, *asked, "--format", "arrow")
                check_rows(ipc.open_stream(piped).read_all(), expected, real, certificate)
                if expected.count(b"\n") > 1:
                    pyarrow_rows(expected, real, theirs, draw)
                    sums = {jostle("checksum", path) for path in (rows, theirs)}
                    same(sums, {jostle("checksum", "-", stdin=expected)}, f"checksum of {kind}")
                    # The verdict must not depend on the format of the rows.
                    verdicts = {
                        subprocess.run([JOSTLE, "verify", text, path], capture_output=True).stdout
                        for path in (rows, theirs)
                    }
                    same(len(verdicts), 1, f"verdicts on {kind}")
                    tables += 1
    # A table without rows has its columns.
    empty = json.dumps({**scene, "bodies": []}).encode()
    jostle("contacts", "-", "--certificate", "-o", rows, stdin=empty)
    check_rows(ipc.open_file(rows).read_all(), jostle("contacts", "-", "--certificate", stdin=empty), pa.float32(), True)
    # Empty cells.
    walk = folder / "walk.txt"
    walk.write_text("# id frame x/m y/m\n7 -3 0 0\n5 -3 1 0\n5 -4 0 0\n")
    jostle("trajectory", walk, "--radius", 0.25, "-o", rows)
    same(
        ipc.open_file(rows).read_all().to_pylist(),
        [
            {"frame": -4, "people": 1, "a": None, "b": None, "distance": None, "pairs": 0},
            {"frame": -3, "people": 2, "a": 5, "b": 7, "distance": 0.5, "pairs": 0},
        ],
        "trajectory",
    )
    print(f"pyarrow {pa.__version__} and jostle agree on {2 * len(KINDS)} scenes and {tables} tables")


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
