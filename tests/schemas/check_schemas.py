#!/usr/bin/env python3
"""check_schemas.py SCHEMA FILE...: each YAML file keeps to the schema."""
import json
import re
import sys

import jsonschema
import yaml



class Loader(yaml.SafeLoader):
    """As YAML 1.2 has it, 4e-6 is a number."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789"))

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
faults = 0
for path in sys.argv[2:]:
    for fault in validator.iter_errors(yaml.load(open(path, encoding="utf-8"), Loader)):
        faults += 1
        print(f"{path}: {'/'.join(map(str, fault.path))}: {fault.message}")
sys.exit(1 if faults else 0)
