"""Validates lines of JSON from standard input against the schema in the first argument; prints what is wrong."""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for number, line in enumerate(sys.stdin):
    for error in validator.iter_errors(json.loads(line)):
        print(f"{number}: {error.json_path}: {error.message}")
