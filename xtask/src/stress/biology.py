"""Compares alignments of twenty real pairs with EMBOSS, reads exports with Biopython, and checks that bcftools moves no
gap of a VCF.

Prints a line for each check: its name, the number of cases, and the number of failures. Details of failures go to stderr.

Arguments: address of the server, file with the pairs, seed, number of random pairs.
"""
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

from Bio import AlignIO, SearchIO, SeqIO

BASE, SEQUENCES, SEED, PAIRS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
FOLDER = Path(tempfile.mkdtemp())
COLUMNS = "qseqid sseqid pident length mismatch gapopen qstart qend sstart send score"
checked, broken = defaultdict(int), defaultdict(int)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def solve(task, a, b, **options):
    snapshot = json.loads(ask("/api/v1/jobs?wait=30", {"task": task, "options": options, "a": {"text": a}, "b": {"text": b}}))
    assert snapshot["state"] == "succeeded", snapshot
    return snapshot


def export(job, name):
    return ask(f"/api/v1/jobs/{job['id']}/export?format={name}")


def check(name, what, test):
    """Counts a check, and its failure."""
    checked[name] += 1
    try:
        test()
    except Exception as error:
        broken[name] += 1
        print(f"{name}: {what}: {type(error).__name__}: {error}", file=sys.stderr)


def fasta(record):
    return f">{record.id}\n{record.seq}\n"


def rows(text):
    """The lines of both texts and the marks in a file of EMBOSS."""
    body = re.search(r"\n#=+\n\n(?!#)(.*?)\n#-+\n", text, re.S)
    return body[1].strip("\n") if body else ""


def header(text):
    return {key.lower(): value.split(" ")[0] for key, value in re.findall(r"^# (\w+): +(\S.*)$", text, re.M)}


def emboss(x, y, program, matrix, *more):
    for record, name in ((x, "x.fa"), (y, "y.fa")):
        (FOLDER / name).write_text(fasta(record))
    command = [program, "x.fa", "y.fa", "-gapopen", "10", "-gapextend", "1", "-datafile", matrix, "-aformat", "pair", *more, "stdout"]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True).stdout


def with_emboss(x, y, is_protein):
    matrix, ours = ("EBLOSUM62", "BLOSUM62") if is_protein else ("EDNAFULL", "NUC.4.4")
    ends = ["-endweight", "-endopen", "10", "-endextend", "1"]
    free = ["a-start", "a-end", "b-start", "b-end"]
    for name, program, more, options in [
        ("needle, all ends paid", "needle", ends, {}),
        ("needle, all ends free", "needle", [], {"mode": "semi-global", "free_ends": free}),
        ("water", "water", [], {"mode": "local"}),
    ]:
        theirs = emboss(x, y, program, matrix, *more)
        job = solve("sequence-alignment", fasta(x), fasta(y), matrix=ours, gap={"open": 9, "extend": 1}, **options)
        answer, file = job["answer"], export(job, "emboss")
        who = f"{x.id} {y.id}"

        def scores():
            assert float(header(theirs)["score"]) == answer["score"], (header(theirs)["score"], answer["score"])

        check(f"scores of {name}", who, scores)

        def alignments():
            """The same score may belong to several alignments. Equal rows must have equal marks, numbers and counts."""
            letters = [re.sub(r"\d+|^\S+", "", line) for line in rows(theirs).splitlines()[::2]]
            if letters == [re.sub(r"\d+|^\S+", "", line) for line in rows(file).splitlines()[::2]]:
                assert rows(theirs) == rows(file), file
                counts = ["length", "identity", "similarity", "gaps", "score"]
                assert [header(theirs)[key] for key in counts] == [header(file)[key] for key in counts], header(file)
                checked[f"alignments equal to those of {name}"] += 1

        check(f"rows of {name}", who, alignments)
        check("EMBOSS files, by Biopython", who, lambda: read_emboss(file, answer, x, y))
        check("BLAST lines, by Biopython", who, lambda: read_blast(export(job, "blast"), answer, x, y))


def pieces(answer, x, y):
    return [str(record.seq)[answer[side]["start"] : answer[side]["end"]] for side, record in (("a", x), ("b", y))]


def read_emboss(file, answer, x, y):
    alignment = AlignIO.read(io.StringIO(file), "emboss")
    assert [record.id for record in alignment] == [x.id, y.id]
    assert [str(record.seq).replace("-", "") for record in alignment] == pieces(answer, x, y)
    counts, scored = answer["alignment"], answer["scored"]
    said = {"identity": counts["matches"], "similarity": scored["positives"], "gaps": scored["gaps"], "score": answer["score"]}
    assert alignment.annotations == said, (alignment.annotations, said)


def read_blast(line, answer, x, y):
    counts = answer["alignment"]
    if counts["columns"] == 0:
        assert line == "", line
        return
    hsp = SearchIO.read(io.StringIO(line), "blast-tab", fields=COLUMNS.split())[0][0]
    assert (hsp.query_id, hsp.hit_id) == (x.id, y.id)
    ranges = [(answer[side]["start"], answer[side]["end"]) for side in "ab"]
    assert [(hsp.query_start, hsp.query_end), (hsp.hit_start, hsp.hit_end)] == ranges, line
    assert (hsp.aln_span, hsp.mismatch_num, hsp.gapopen_num) == (counts["columns"], counts["mismatches"], answer["scored"]["gap_openings"])
    assert abs(hsp.ident_pct - 100 * counts["matches"] / counts["columns"]) < 0.001, line
    assert line.rstrip("\n").split("\t")[-1] == str(answer["score"]), line


def with_edits(a, edits):
    """Returns a copy of `a` with random edits, with many in repeats."""
    letters = list(a)
    for _ in range(edits):
        at = random.randrange(len(letters) + 1)
        kind = random.random()
        if kind < 0.3 and at < len(letters):
            letters[at] = random.choice("ACGT")
        elif kind < 0.65:
            letters[at:at] = letters[max(0, at - 3) : at] or ["A"]
        else:
            del letters[at : at + random.randint(1, 4)]
    return "".join(letters) or "A"


def with_bcftools():
    """Edits of random bases: `bcftools norm` must move none of them."""
    unit = "".join(random.choices("ACGT", k=random.randint(1, 4)))
    a = "".join(random.choices("ACGT", k=random.randint(1, 80))) + unit * random.randint(0, 12) + "".join(random.choices("ACG", k=20))
    b = with_edits(a, random.randint(1, 8))
    job = solve("edit-distance", f">r\n{a}\n", f">s\n{b}\n")
    (FOLDER / "r.fa").write_text(f">r\n{a}\n")
    (FOLDER / "r.fa.fai").unlink(missing_ok=True)
    (FOLDER / "edits.vcf").write_text(export(job, "vcf"))

    def norm():
        run = subprocess.run(["bcftools", "norm", "-f", "r.fa", "edits.vcf"], cwd=FOLDER, capture_output=True, text=True)
        counts = re.search(r"^Lines\s+(\S+):\s+(\S+)$", run.stderr, re.M)
        assert run.returncode == 0 and counts, run.stderr
        lines = dict(zip(counts[1].split("/"), map(int, counts[2].split("/"))))
        expected = [line for line in (FOLDER / "edits.vcf").read_text().splitlines() if not line.startswith("#")]
        assert lines["total"] == len(expected) and lines["realigned"] == 0, run.stderr
        assert [line for line in run.stdout.splitlines() if not line.startswith("#")] == expected, run.stdout

    check("VCF, by bcftools norm", f"{a} {b}", norm)


def main():
    random.seed(SEED)
    records = list(SeqIO.parse(SEQUENCES, "fasta"))
    for number in range(0, len(records), 2):
        with_emboss(records[number], records[number + 1], is_protein=number < 20)
    for _ in range(PAIRS):
        with_bcftools()
    for name in checked:
        print(f"{name}\t{checked[name]}\t{broken[name]}")


main()
