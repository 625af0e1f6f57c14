"""Uses an installed kiln-inference as a newcomer would; run by run.sh in an environment with nothing else."""

import json
import sys
from importlib.metadata import distributions
from pathlib import Path

import kiln_contract as kc

package = Path(kc.__file__)
assert "site-packages" in package.parts, f"imported from the checkout: {package}"
assert (package.parent / "py.typed").is_file()

installed = {distribution.metadata["Name"].lower() for distribution in distributions()}
assert installed <= {"kiln-inference", "msgspec", "pip", "setuptools"}, installed

examples = kc.schema()["x-kiln-examples"]
checked = 0
for name, documents in examples.items():
    for document in documents:
        body = kc.encode(document)
        assert kc.validate_json(name, body) == [], name
        assert json.loads(kc.encode(kc.decode(name, body))) == document, name
        checked += 1
assert checked >= 11, checked

heavy = {"jsonschema", "hypothesis", "starlette", "torch", "pydantic", "orjson"} & set(sys.modules)
assert not heavy, heavy
print(f"wheel: {checked} examples valid, schema {kc.SCHEMA_SHA256[:12]}")
