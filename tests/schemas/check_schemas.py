#!/usr/bin/env python3
"""check_schemas.py SCHEMA FILE...: each YAML file keeps to the schema."""
import json
import sys

import jsonschema
import yaml

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
faults = 0
for path in sys.argv[2:]:
    for fault in validator.iter_errors(yaml.safe_load(open(path, encoding="utf-8"))):
        faults += 1
        print(f"{path}: {'/'.join(map(str, fault.path))}: {fault.message}")
sys.exit(1 if faults else 0)
