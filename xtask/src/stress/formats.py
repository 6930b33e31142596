"""Reads exports of a server with other programs: SAM with htslib, CSV with Python's reader, diffs with GNU patch, PAF and CIGAR
by their definitions.

Prints a line for each reader: its name, the number of files, and the number of failures. Details of failures go to stderr.

Arguments: address of the server, seed, number of random pairs.
"""
import csv
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections import defaultdict
from pathlib import Path

import pysam

BASE, SEED, PAIRS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
FOLDER = Path(tempfile.mkdtemp())
checked, broken = defaultdict(int), defaultdict(int)
pysam.set_verbosity(0)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def solve(task, a, b, **options):
    texts = [text if isinstance(text, dict) else {"text": text} for text in (a, b)]
    snapshot = json.loads(ask("/api/v1/jobs?wait=30", {"task": task, "options": options, "a": texts[0], "b": texts[1]}))
    assert snapshot["state"] == "succeeded", snapshot
    return snapshot


def export(job, name, **query):
    query = "".join(f"&{key}={value}" for key, value in query.items())
    return ask(f"/api/v1/jobs/{job['id']}/export?format={name}{query}")


def reads(reader, what, read):
    """Counts a file, and an error of its reader."""
    checked[reader] += 1
    try:
        read()
    except Exception as error:
        broken[reader] += 1
        print(f"{reader}: {what}: {type(error).__name__}: {error}", file=sys.stderr)


# CIGAR


def runs(cigar, letters="=XID"):
    found = re.findall(rf"(\d+)([{letters}])", cigar)
    assert "".join(length + letter for length, letter in found) == cigar, f"no CIGAR: {cigar!r}"
    assert all(int(length) > 0 for length, _ in found), f"an empty run: {cigar!r}"
    return [(int(length), letter) for length, letter in found]


def edits_of(cigar, a, b, i=0, j=0):
    """Walks over both texts. Returns the number of edits and the end positions. `I` is a symbol of `b` only."""
    edits = 0
    for length, letter in runs(cigar):
        for _ in range(length):
            if letter in "=X":
                assert (a[i] == b[j]) == (letter == "="), f"{letter} at a {i}, b {j}"
            edits += letter != "="
            i, j = i + (letter in "=XD"), j + (letter in "=XI")
    return edits, i, j


def turned(cigar):
    return cigar.translate(str.maketrans("ID", "DI"))


def table(text, head):
    rows = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
    assert rows[0] == head, rows[0]
    assert all(len(row) == len(head) for row in rows), [row for row in rows if len(row) != len(head)]
    return rows[1:]


def check_pair(job, a, b, query="a", target="b", unit=list, hit=None, start=0, mapped=True):
    """Checks the files of one alignment: of all of `a` and `b`, or of the part of `b` in a hit, from `start` on."""
    x, y = unit(a), unit(b)
    where = {} if hit is None else {"hit": hit}
    who = f"{job['task']} {a[:40]!r} {b[:40]!r} {hit}"
    found = {}

    def cigar():
        text = export(job, "cigar", **where).decode()
        assert text.endswith("\n")
        edits, i, j = edits_of(text[:-1], x, y, 0, start)
        assert i == len(x) and (hit is not None or j == len(y)), (i, j)
        found.update(cigar=text[:-1], edits=edits, end=j)

    reads("CIGAR", who, cigar)

    def plain(field):
        """Removes the apostrophe that protects a CSV field from being read as a formula."""
        return field[1:] if field[:1] == "'" and field.lstrip("'")[:1] in tuple("=+-@\t\r") else field

    def as_edits():
        changed, before = list(x), 0
        rows = table(export(job, "edits", **where), ["edit", "column", "a_start", "a_end", "b_start", "b_end", "a", "b"])
        for kind, _, a_start, a_end, b_start, b_end, old, new in reversed(rows):
            a_start, a_end, b_start, b_end = map(int, (a_start, a_end, b_start, b_end))
            old, new = plain(old), plain(new)
            assert old == "".join(x[a_start:a_end]) and new == "".join(y[b_start:b_end]), (kind, old, new)
            changed[a_start:a_end] = y[b_start:b_end]
        if hit is None:
            assert changed == y
        else:
            assert changed == y[start : found["end"]], changed

    reads("edits", who, as_edits)

    def as_json():
        file = json.loads(export(job, "json", **where))
        assert file["task"] == job["task"] and file["cigar"] == found["cigar"], file

    reads("JSON", who, as_json)
    if not mapped:
        return

    def paf():
        lines = export(job, "paf", **where).decode().split("\n")
        assert len(lines) == 2 and lines[1] == "", lines
        fields = lines[0].split("\t")
        name, length, from_a, to_a, strand, other, other_length, from_b, to_b, equal, columns, quality = fields[:12]
        tags = dict(tag.split(":", 2)[::2] for tag in fields[12:])
        assert (name, other, strand, quality) == (query, target, "+", "255"), fields
        assert (int(length), int(from_a), int(to_a)) == (len(x), 0, len(x)), fields
        assert (int(from_b), int(to_b), int(other_length)) == (start, found["end"], len(y)), fields
        all_runs = runs(found["cigar"])
        assert int(equal) == sum(n for n, letter in all_runs if letter == "=") and int(columns) == sum(n for n, _ in all_runs), fields
        assert tags == {"NM": str(found["edits"]), "cg": turned(found["cigar"])}, tags

    reads("PAF", who, paf)
    reads("SAM", who, lambda: sam(export(job, "sam", **where), query, target, x, y, start, found))


def sam(text, query, target, x, y, start, found):
    path = FOLDER / "one.sam"
    path.write_bytes(text)
    if not y:
        # SAM has no targets of length zero, and pysam reads no file without a target.
        assert text.decode().split("\n")[-2].split("\t")[:6] == [query, "4", "*", "0", "0", "*"], text
        return
    with pysam.AlignmentFile(str(path)) as file:
        assert file.get_reference_length(target) == len(y), (target, file.references)
        records = list(file)
    assert len(records) == 1, f"{len(records)} records"
    [record] = records
    assert record.query_name == query, record.query_name
    if all(len(letter) == 1 and letter.isascii() and letter.isalpha() for letter in x) and x:
        # htslib stores four bits per letter: it ignores case, and reads anything but a nucleotide code as N.
        assert record.query_sequence == re.sub("[^ACMGRSVTWYHKDBN]", "N", "".join(x).upper()), record.query_sequence
    if found["end"] == start:
        assert record.is_unmapped
        return
    assert not record.is_unmapped and record.reference_name == target, str(record)
    assert (record.reference_start, record.reference_end) == (start, found["end"]), str(record)
    assert record.cigarstring == turned(found["cigar"]) and record.get_tag("NM") == found["edits"], str(record)


def check_diff(a, b):
    job = solve("edit-distance", a, b, unit="lines")
    diff = export(job, "diff")

    def patch():
        if not diff:
            assert a == b
            return
        (FOLDER / "a").write_bytes(a.encode())
        run = subprocess.run(["patch", "--silent", "--binary", "--fuzz=0", "-o", "made", "a"], input=diff, cwd=FOLDER, capture_output=True)
        assert run.returncode == 0, (run.stdout + run.stderr).decode()
        made = (FOLDER / "made").read_bytes().decode()
        assert made == b, (made, b)

    reads("diff, by patch", f"{a[:60]!r} {b[:60]!r}", patch)
    check_pair(job, a, b, unit=units_of_lines, mapped=False)


def units_of_lines(text):
    """Splits a text into lines that are equal whatever their line ends are."""
    return [Line(line) for line in re.findall(r"[^\n]*\n|[^\n]+", text)]


class Line(str):
    """A line that ignores its line end in comparisons."""

    def __eq__(self, other):
        return self.rstrip("\r\n") == other.rstrip("\r\n") if isinstance(other, Line) else str.__eq__(self, other)

    __hash__ = str.__hash__


def lines(text):
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]


def words(letters, most):
    return "".join(random.choices(letters, k=random.randint(0, most)))


def sam_name(word):
    return re.sub(r"[^0-9A-Za-z!#$%&+./:;?^_|~-]", "_", word)[:254]


def spreadsheet_name(word):
    return f"'{word}" if word[:1] in tuple("=+-@") else word


def main():
    random.seed(SEED)
    awkward = ["", "a", "=1+1", "+1", "-1", "@SUM(A1)", '"', '""', ",", " , ", "\t", "it's", "\\", "a\nb", "a\r\nb", "é=ü", "𝒳,", "'", " a", "a "]
    pairs = [(a, b) for a in awkward for b in awkward[::3]]
    pairs += [(words("ACGT", 60), words("ACGT", 60)) for _ in range(PAIRS)]
    pairs += [(words('a,"=\n\t -', 20), words('a,"=\n\t -', 20)) for _ in range(PAIRS)]
    for number, (a, b) in enumerate(pairs):
        for task in ["edit-distance", "lcs"][: 1 + number % 2]:
            job = solve(task, a, b, unit="chars", fasta="never")
            check_pair(job, a, b, mapped=task == "edit-distance")
        if number % 3 == 0:
            a, b = " ".join(words('a,"=-', 3) for _ in range(8)), " ".join(words('a,"=-', 3) for _ in range(8))
            job = solve("lcs", a, b, unit="lines")
            common = export(job, "subsequence").decode()
            reads("subsequence", a, lambda: [line_of(common, text) for text in (a, b)])

    hostile = ["-- x", "+ y", "@@ -1 +1 @@", "\\ no", "--- a", "+++ b", "", " ", "=1+1", '"', "diff --git", "\t", "x"]
    for _ in range(PAIRS):
        a, b = (["\n", "\r\n"][random.random() < 0.1].join(random.choices(hostile, k=random.randint(0, 12))) for _ in "ab")
        check_diff(a + random.choice(["", "\n"]), b + random.choice(["", "\n"]))

    searches(PAIRS)
    both_strands(PAIRS)
    sequences(PAIRS)
    names(['=HYPERLINK("http://x","y")', "+1", "-2+3", "@SUM(A1)", 'he"said', "it's", "a,b", "chr\t1", "*", "=", "ü", "x" * 400])
    for name in checked:
        print(f"{name}\t{checked[name]}\t{broken[name]}")


def line_of(common, text):
    rest = iter(lines(text))
    assert all(line in rest for line in lines(common)) or common == "", (common, text)


def searches(count):
    """Checks the hits of every search as a table, and each hit as an alignment."""
    for _ in range(count):
        a, b = words("ACG", 6), words("ACG", 80)
        for task, options in [("approximate-search", {"max_distance": 1}), ("match-count", {"max_mismatches": 2}), ("exact-search", {})]:
            job = solve(task, a, b, **options)
            rows = []

            def hits():
                rows.extend([int(field) for field in row] for row in table(export(job, "csv"), ["start", "end", "distance"]))
                assert rows == sorted(rows, key=lambda row: row[1]), "not in order"
                if task == "exact-search":
                    assert rows == [[at, at + len(a), 0] for at in range(len(b) - len(a) + 1) if b.startswith(a, at)], rows
                if task == "match-count":
                    unequal = [sum(p != q for p, q in zip(a, b[at:])) for at in range(len(b) - len(a) + 1)]
                    assert rows == [[at, at + len(a), d] for at, d in enumerate(unequal) if d <= 2], rows

            reads("CSV of hits", f"{task} {a} {b}", hits)
            for hit in range(min(len(rows), 3)):
                check_pair(job, a, b, hit=hit, start=rows[hit][0])
            if b:
                reads("SAM of hits", f"{task} {a} {b}", lambda: all_sam(export(job, "hits-sam"), a, b, [(*row, "+") for row in rows]))
            reads("PAF of hits", f"{task} {a} {b}", lambda: all_paf(export(job, "hits-paf").decode(), a, [(*row, "+") for row in rows]))
            reads("BED of hits", f"{task} {a} {b}", lambda: all_bed(export(job, "bed").decode(), [(*row, "+") for row in rows]))
            if task == "match-count":

                def profile():
                    scores = [[int(field) for field in row] for row in table(export(job, "profile-csv"), ["offset", "matches"])]
                    assert scores == [[at, sum(p == q for p, q in zip(a, b[at:]))] for at in range(len(b) - len(a) + 1)], scores

                reads("CSV of scores", f"{a} {b}", profile)


def both_strands(count):
    """Checks hits on both strands: those of the pattern and of its reverse complement, each with the text at its position."""
    for _ in range(count):
        a, b = words("ACGTN", 6), words("ACGT", 80) + "A"
        for task, options in [("approximate-search", {"max_distance": 1}), ("exact-search", {})]:
            job = solve(task, a, b, strands="both", **options)
            rows = []

            def hits():
                found = table(export(job, "csv"), ["start", "end", "distance", "strand"])
                rows.extend((int(start), int(end), int(distance), strand) for start, end, distance, strand in found)
                if task == "exact-search":
                    places = [(at, at + len(a), 0, s) for at in range(len(b) - len(a) + 1) for s in "+-" if b.startswith(on(a, s), at)]
                    assert rows == places, (rows, places)

            reads("CSV of hits", f"both strands, {task} {a} {b}", hits)
            reads("SAM of hits", f"both strands, {task} {a} {b}", lambda: all_sam(export(job, "hits-sam"), a, b, rows))
            reads("PAF of hits", f"both strands, {task} {a} {b}", lambda: all_paf(export(job, "hits-paf").decode(), a, rows))
            reads("BED of hits", f"both strands, {task} {a} {b}", lambda: all_bed(export(job, "bed").decode(), rows))


def on(a, strand):
    return a if strand == "+" else a[::-1].translate(str.maketrans("ACGTN", "TGCAN"))


def all_sam(text, a, b, rows):
    path = FOLDER / "hits.sam"
    path.write_bytes(text)
    with pysam.AlignmentFile(str(path)) as file:
        records = list(file)
    assert len(records) == len(rows), f"{len(records)} records of {len(rows)}"
    for number, (record, (start, end, distance, strand)) in enumerate(zip(records, rows)):
        if start == end:
            assert record.is_unmapped
            continue
        assert (record.reference_start, record.reference_end, record.get_tag("NM")) == (start, end, distance), str(record)
        assert (record.is_reverse, record.is_secondary) == (strand == "-", number > 0), str(record)
        if a:
            assert record.query_sequence == on(a, strand) and record.get_forward_sequence() == a, str(record)
        walked = edits_of(turned(record.cigarstring), list(on(a, strand)), list(b), 0, start)
        assert walked[0] == distance and walked[2] == end, (walked, str(record))


def all_paf(text, a, rows):
    lines = [line.split("\t") for line in text.splitlines()]
    told = [(int(line[7]), int(line[8]), int(line[12].removeprefix("NM:i:")), line[4]) for line in lines]
    assert told == list(rows), (told, rows)
    assert all(line[1:4] == [str(len(a)), "0", str(len(a))] for line in lines), lines


def all_bed(text, rows):
    lines = [line.split("\t") for line in text.splitlines()]
    assert [(int(line[1]), int(line[2]), line[5]) for line in lines] == [(row[0], row[1], row[3]) for row in rows], (lines, rows)
    assert all(len(line) == 6 and 0 <= int(line[4]) <= 1000 and (line[4] == "1000") == (row[2] == 0) for line, row in zip(lines, rows))


def sequences(count):
    """Checks edits of DNA as VCF, read by htslib, and both rows with gaps."""
    for _ in range(count):
        a, b = words("ACGT", 40) + "A", words("ACGT", 40) + "C"
        job = solve("edit-distance", a, b)

        def vcf():
            path = FOLDER / "one.vcf"
            path.write_bytes(export(job, "vcf"))
            made = a
            with pysam.VariantFile(str(path)) as file:
                lines = list(file)
            for line in reversed(lines):
                assert made[line.start : line.stop] == line.ref, str(line)
                made = made[: line.start] + line.alts[0] + made[line.stop :]
            assert made == b, (made, b)

        reads("VCF", f"{a} {b}", vcf)

        def fasta():
            rows = ["".join(record.split("\n")[1:]) for record in export(job, "fasta").decode().split(">")[1:]]
            assert [row.replace("-", "") for row in rows] == [a, b] and len(rows[0]) == len(rows[1]), rows
            assert sum(p != q for p, q in zip(*rows)) == job["answer"]["distance"], rows

        reads("aligned FASTA", f"{a} {b}", fasta)


def names(headers):
    """Checks records with names that a format or a spreadsheet could misread, including a duplicate name and an empty record."""
    for header in headers:
        word = header.split()[0] if header.split() else ""
        pair = {"text": f">{header}\nACGTACGT\n"}, {"text": f">{header} 2\nACGTTCGT\n"}
        job = solve("edit-distance", *pair, fasta="always")
        check_pair(job, "ACGTACGT", "ACGTTCGT", query=sam_name(word) or "a", target=sam_name(word) or "b")
    several = "".join(f">{header}\nTTGATTACATT\n" for header in [*headers, "same", "same", "a b", "a_b", "a,b", "last"]) + ">empty\n"
    job = solve("exact-search", "GATTACA", several, fasta="always")
    total = job["answer"]["total"]
    expected = [(header.split() or [""])[0] for header in [*headers, "same", "same", "a b", "a_b", "a,b", "last"]]
    reads("CSV of hits", "records", lambda: records(export(job, "csv"), ["record", "start", "end", "distance"], expected))
    for hit in range(total):

        def one():
            path = FOLDER / "records.sam"
            path.write_bytes(export(job, "sam", hit=hit))
            with pysam.AlignmentFile(str(path)) as file:
                assert len(file.references) == len(set(file.references)) == len(expected), file.references
                [record] = list(file)
            assert (record.reference_id, record.reference_start, record.cigarstring) == (hit, 2, "7="), str(record)

        reads("SAM", f"record {hit} of several", one)
        reads("PAF", f"record {hit} of several", lambda: paf_of_record(export(job, "paf", hit=hit).decode()))


def records(text, head, expected):
    rows = table(text, head)
    assert [row[0] for row in rows] == [spreadsheet_name(word) for word in expected], [row[0] for row in rows]
    assert all(row[1:] == ["2", "9", "0"] for row in rows), rows


def paf_of_record(text):
    fields = text.rstrip("\n").split("\t")
    assert len(fields) == 14 and fields[6:9] == ["11", "2", "9"], fields


main()
