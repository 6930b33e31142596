"""Checks of schemathesis for every answer: an error is a problem document, and the only server errors are 503 and 507.

Writes the number of answers of each status to the file that EDITSCOPE_STRESS_COUNTS names.
"""
import atexit
import json
import os
from collections import Counter

import schemathesis

statuses = Counter()


@schemathesis.check
def problem_documents(ctx, response, case):
    status = response.status_code
    statuses[status] += 1
    if status >= 500:
        assert status in (503, 507), f"status {status}"
    if status >= 400 and case.method.upper() != "HEAD":
        kind = (response.headers.get("content-type") or [""])[0]
        assert kind == "application/problem+json", f"status {status} with content-type {kind!r}"
        problem = response.json()
        assert problem["status"] == status, f"status {status} with {problem}"
        for name in ("type", "title", "detail"):
            assert isinstance(problem.get(name), str) and problem[name], f"no {name} in {problem}"


@atexit.register
def write_counts():
    with open(os.environ["EDITSCOPE_STRESS_COUNTS"], "w") as file:
        json.dump(statuses, file)
