"""Packages of PyPI that compute what Editscope computes: contenders of `cargo xtask bench --peers`.

    pip install edlib rapidfuzz pywfa

Speaks as the crates' program does (src/main.rs says how): pypi.py TASK A B K PIECES. Texts are handed over as bytes, or as str
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
longest = len(texts[0][0])
cells = longest * len(texts[0][1])
# Above this the quadratic ones would take more than half a minute a call.
small = cells <= 2e11
contenders = {}


def each(solve):
    """One call on each pair; the sum of what is found."""
    return lambda: sum(solve(a, b) for a, b in texts)


def least(align):
    return align["editDistance"]


def within(distance):
    """Who is not told how far to search finds more; -1 is edlib's word for nothing."""
    return distance if distance <= k else -1


try:
    import edlib

    if task == "edit-distance" and small:
        contenders["edlib"] = each(lambda a, b: least(edlib.align(a, b, task="distance")))
        contenders["edlib+path"] = each(lambda a, b: least(edlib.align(a, b, task="path")))
    if task == "approximate-search" and small:
        contenders["edlib HW, k given"] = each(lambda a, b: least(edlib.align(a, b, mode="HW", task="locations", k=k)))
        contenders["edlib HW"] = each(lambda a, b: within(least(edlib.align(a, b, mode="HW", task="locations"))))
except ImportError:
    print("lacks edlib (pip install edlib)")

try:
    from rapidfuzz.distance import LCSseq, Levenshtein

    if task == "edit-distance" and small:
        contenders["rapidfuzz"] = each(Levenshtein.distance)
        contenders["rapidfuzz editops+path"] = each(lambda a, b: len(Levenshtein.editops(a, b)))
    if task == "lcs" and small:
        contenders["rapidfuzz"] = each(LCSseq.similarity)
    # It keeps a bit for every cell.
    if task == "lcs" and cells <= 2e10:
        contenders["rapidfuzz editops+path"] = each(lambda a, b: (len(a) + len(b) - len(LCSseq.editops(a, b))) // 2)
except ImportError:
    print("lacks rapidfuzz (pip install rapidfuzz)")

try:
    from pywfa import WavefrontAligner

    if task == "edit-distance" and longest <= 2e5:
        def wfa(**options):
            options |= {"distance": "levenshtein", "span": "end-to-end", "heuristic": None}
            pairs = [(WavefrontAligner(a.decode("latin-1"), **options), b.decode("latin-1")) for a, b in texts]

            def solve():
                for aligner, b in pairs:
                    aligner.wavefront_align(b)
                return sum(abs(aligner.score) for aligner, _ in pairs)

            return solve

        contenders["WFA2"] = wfa(scope="score", memory_mode="high")
        contenders["BiWFA+path"] = wfa(scope="full", memory_mode="biwfa")
except ImportError:
    print("lacks pywfa (pip install pywfa)")

for name in contenders:
    print(f"has {name}")
print("ready", flush=True)
for line in sys.stdin:
    name, calls = line.rstrip("\n").split("\t")
    solve = contenders[name]
    start = time.perf_counter()
    for _ in range(int(calls) // pieces):
        found = solve()
    print(f"{time.perf_counter() - start}\t{'none' if found < 0 else found}", flush=True)
