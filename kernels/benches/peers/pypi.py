"""Packages of PyPI that compute what Editscope computes: contenders of `cargo xtask bench --peers`.

    pip install edlib rapidfuzz parasail biopython numpy stringzilla stringzillas-cpus

Speaks as the crates' program does (src/turns.rs says how): pypi.py TASK A B K PIECES. Texts are handed over as bytes, or as str
where a package wants that; that is done before the clock starts.
"""
import sys
import time

task, k, pieces = sys.argv[1], int(sys.argv[4]), int(sys.argv[5])


def cut(name):
    text = open(name, "rb").read()
    size = len(text) // pieces
    return [text[at * size:(at + 1) * size] for at in range(pieces)]


texts = list(zip(cut(sys.argv[2]), cut(sys.argv[3])))
cells = len(texts[0][0]) * len(texts[0][1])
# Above this number of cells, a call of a quadratic contender would take more than half a minute.
small = cells <= 2e11
contenders = {}


def each(solve):
    """One call on each pair; the sum of what is found."""
    return lambda: sum(solve(a, b) for a, b in texts)


def least(align):
    return align["editDistance"]


def traced(found):
    """The score after the path was followed."""
    found.cigar.seq
    return found.score


def within(distance):
    """Who is not told how far to search finds more; -1 is edlib's word for nothing."""
    return distance if distance <= k else -1


try:
    import edlib

    if task == "edit-distance" and small:
        contenders["edlib (PyPI)"] = each(lambda a, b: least(edlib.align(a, b, task="distance")))
        contenders["edlib (PyPI)+path"] = each(lambda a, b: least(edlib.align(a, b, task="path")))
    if task == "approximate-search" and small:
        contenders["edlib (PyPI) HW, k given"] = each(lambda a, b: least(edlib.align(a, b, mode="HW", task="locations", k=k)))
        contenders["edlib (PyPI) HW"] = each(lambda a, b: within(least(edlib.align(a, b, mode="HW", task="locations"))))
except ImportError:
    print("lacks edlib (pip install edlib)")

try:
    from rapidfuzz.distance import OSA, LCSseq, Levenshtein

    if task == "osa" and small:
        contenders["rapidfuzz OSA"] = each(OSA.distance)
    if task.startswith("weights-") and cells <= 2e10:
        substitute, insert, delete = map(int, task.split("-")[1:])
        contenders["rapidfuzz weights"] = each(lambda a, b: Levenshtein.distance(a, b, weights=(insert, delete, substitute)))
    if task == "edit-distance" and small:
        contenders["rapidfuzz"] = each(Levenshtein.distance)
        contenders["rapidfuzz editops+path"] = each(lambda a, b: len(Levenshtein.editops(a, b)))
    if task == "lcs" and small:
        contenders["rapidfuzz"] = each(LCSseq.similarity)
    # Stores a bit for every cell.
    if task == "lcs" and cells <= 2e10:
        contenders["rapidfuzz editops+path"] = each(lambda a, b: (len(a) + len(b) - len(LCSseq.editops(a, b))) // 2)
except ImportError:
    print("lacks rapidfuzz (pip install rapidfuzz)")

if task.startswith("all-"):
    rows, columns = (text.decode().split("\n") for text in texts[0])
    try:
        import numpy
        from rapidfuzz.distance import OSA, LCSseq, Levenshtein
        from rapidfuzz.process import cdist

        scorer, weights = {"edit-distance": Levenshtein.distance, "osa": OSA.distance, "lcs": LCSseq.similarity}.get(task[4:]), {}
        if scorer is None:
            substitute, insert, delete = map(int, task.split("-")[2:])
            scorer, weights = Levenshtein.distance, {"weights": (insert, delete, substitute)}

        def matrix():
            scores = cdist(rows, columns, scorer=scorer, dtype=numpy.uint16, workers=1, scorer_kwargs=weights)
            return int(scores.sum(dtype=numpy.int64))

        contenders["rapidfuzz cdist"] = matrix
    except ImportError:
        print("lacks rapidfuzz cdist (pip install rapidfuzz numpy)")
    try:
        import numpy
        import stringzilla
        import stringzillas

        costs = {"all-edit-distance": [1, 1, 1], "all-weights-3-2-2": [3, 2, 2]}.get(task)
        if costs:
            sides, scope = [stringzilla.Strs(side) for side in (rows, columns)], stringzillas.DeviceScope(cpu_cores=1)
            # The costs of a substitution, of the first symbol of a gap, and of each further one.
            engine = stringzillas.LevenshteinDistances(0, *costs, capabilities=scope)
            contenders["StringZillas"] = lambda: int(engine(*sides, device=scope).sum(dtype=numpy.int64))
    except ImportError:
        print("lacks StringZillas (pip install stringzillas-cpus stringzilla numpy)")

if task == "sequence-alignment":
    # The points of `ALIGNED` in ../workloads/table.rs. Both packages name the points of the first symbol of a gap: -4 - 2.
    try:
        import parasail

        points = parasail.matrix_create("ACGT", 2, -4)
        if small:
            contenders["parasail striped"] = each(lambda a, b: parasail.nw_striped_sat(a, b, 6, 2, points).score)
            contenders["parasail scan"] = each(lambda a, b: parasail.nw_scan_sat(a, b, 6, 2, points).score)
        # Stores a byte for every cell.
        if cells <= 2e9:
            contenders["parasail striped+path"] = each(lambda a, b: traced(parasail.nw_trace_striped_sat(a, b, 6, 2, points)))
    except ImportError:
        print("lacks parasail (pip install parasail)")
    try:
        from Bio.Align import PairwiseAligner

        aligner = PairwiseAligner(mode="global", match_score=2, mismatch_score=-4, open_gap_score=-6, extend_gap_score=-2)
        if cells <= 1e9:
            contenders["Biopython"] = each(lambda a, b: int(aligner.score(a, b)))
            contenders["Biopython+path"] = each(lambda a, b: int(aligner.align(a, b)[0].score))
    except ImportError:
        print("lacks Biopython (pip install biopython)")

for name in contenders:
    print(f"has {name}")
print("ready", flush=True)
for line in sys.stdin:
    name, calls = line.rstrip("\n").split("\t")
    solve = contenders[name]
    start = time.perf_counter()
    for _ in range(int(calls) // pieces):
        found = solve()
    print(f"{time.perf_counter() - start}\t{'none' if found < 0 and task == 'approximate-search' else found}", flush=True)
