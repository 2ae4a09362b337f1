#!/usr/bin/env python3
"""Checks the wire truth: built-in types and resources, CRDs, examples. Needs python3-yaml. Exit status 1 on any fault.

Usage: api/check.py            from anywhere; prints one line a fault and a summary
"""
import pathlib
import re
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
REF = '#/definitions/'
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool}
INT_OR_STRING, UNKNOWN = 'x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'
LIST_TYPE, LIST_KEYS, EMBEDDED = 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-embedded-resource'
faults = []


def fault(where, text):
    faults.append(f'{where}: {text}')


class UniqueKeys(yaml.SafeLoader):
    """The usual loader takes the last of two equal keys in silence; and times stay text, as in JSON."""

    yaml_implicit_resolvers = {first: [(tag, regexp) for tag, regexp in resolvers if tag != 'tag:yaml.org,2002:timestamp']
                               for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in {str(key) for key in keys if keys.count(key) > 1}:
            fault(node.start_mark.name, f'line {node.start_mark.line + 1}: key {key!r} twice')
        return super().construct_mapping(node, deep)


def load(path):
    with open(path, encoding='utf-8') as stream:
        return [document for document in yaml.load_all(stream, UniqueKeys) if document is not None]


class Schema:
    """A schema node with its `$ref` followed; keys beside the `$ref` win."""

    def __init__(self, node, definitions):
        self.definitions = definitions
        target = definitions.get(node['$ref'].removeprefix(REF), {}) if '$ref' in node else {}
        self.node = {**target, **{key: value for key, value in node.items() if key != '$ref'}}

    def child(self, key):
        properties = self.node.get('properties', {})
        if key in properties:
            return Schema(properties[key], self.definitions)
        extra = self.node.get('additionalProperties')
        if isinstance(extra, dict):
            return Schema(extra, self.definitions)
        return Schema({UNKNOWN: True}, self.definitions) if extra is True or self.node.get(UNKNOWN) else None

    def items(self):
        return Schema(self.node['items'], self.definitions) if 'items' in self.node else None


def check_value(schema, value, where):
    """Validates as the server does after pruning and defaulting; an unknown field is a fault too."""
    node = schema.node
    if value is None:
        if not node.get('nullable') and not (node.get(UNKNOWN) and 'type' not in node):
            fault(where, 'is null')
        return
    kind = node.get('type')
    if node.get(INT_OR_STRING):
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            fault(where, f'{value!r} is neither integer nor string')
            return
    elif kind in ('integer', 'number'):
        if isinstance(value, bool) or not isinstance(value, int if kind == 'integer' else (int, float)):
            fault(where, f'{value!r} is not of type {kind}')
            return
    elif kind and not isinstance(value, TYPES[kind]):
        fault(where, f'{value!r} is not of type {kind}')
        return
    check_limits(node, value, where)
    if isinstance(value, dict) and (kind == 'object' or not kind):
        check_object(schema, value, where)
    elif isinstance(value, list) and schema.items():
        for index, item in enumerate(value):
            check_value(schema.items(), item, f'{where}[{index}]')
        check_list(schema, value, where)


def check_limits(node, value, where):
    if 'enum' in node and value not in node['enum']:
        fault(where, f'{value!r} is not one of {node["enum"]}')
    if isinstance(value, str):
        if 'pattern' in node and not re.search(node['pattern'], value):
            fault(where, f'{value!r} does not match {node["pattern"]}')
        if not node.get('minLength', 0) <= len(value) <= node.get('maxLength', 1 << 40):
            fault(where, f'{value!r} is too short or too long')
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not node.get('minimum', value) <= value <= node.get('maximum', value):
            fault(where, f'{value!r} is out of bounds')
    elif isinstance(value, list):
        if not node.get('minItems', 0) <= len(value) <= node.get('maxItems', 1 << 40):
            fault(where, 'too few or too many items')
    elif isinstance(value, dict):
        if not node.get('minProperties', 0) <= len(value) <= node.get('maxProperties', 1 << 40):
            fault(where, 'too few or too many properties')


def check_object(schema, value, where):
    for key, item in value.items():
        if schema.node.get(EMBEDDED) and key in ('apiVersion', 'kind', 'metadata'):
            continue
        child = schema.child(key)
        if child:
            check_value(child, item, f'{where}.{key}')
        elif not (where.endswith('metadata') and 'properties' not in schema.node):
            fault(where, f'unknown field {key!r}')
    for key in schema.node.get('required', []):
        child = schema.child(key)
        if key not in value and not (child and 'default' in child.node):
            fault(where, f'{key} is required')


def check_list(schema, value, where):
    kind = schema.node.get(LIST_TYPE)
    if kind == 'set':
        identities = value
    elif kind == 'map':
        properties = schema.items().node.get('properties', {})
        identities = [tuple(item.get(key, properties.get(key, {}).get('default')) for key in schema.node[LIST_KEYS]) for item in value]
    else:
        return
    for identity in {str(identity) for identity in identities if identities.count(identity) > 1}:
        fault(where, f'duplicate item {identity}')


def check_schema(node, definitions, where, structural):
    """Structural rules and the house rules: a description everywhere, keys and defaults that fit."""
    if '$ref' in node:
        if structural or not node['$ref'].startswith(REF) or node['$ref'].removeprefix(REF) not in definitions:
            fault(where, f'$ref {node["$ref"]} does not resolve or is not allowed here')
    elif 'type' not in node and not node.get(INT_OR_STRING) and not node.get(UNKNOWN):
        fault(where, 'has no type')
    schema = Schema(node, definitions)
    merged = schema.node
    if 'type' in merged and merged['type'] not in ('object', 'array', 'string', 'integer', 'number', 'boolean'):
        fault(where, f'unknown type {merged["type"]!r}')
    if merged.get('type') == 'array' and 'items' not in merged:
        fault(where, 'list without items')
    if 'properties' in node and 'additionalProperties' in node:
        fault(where, 'properties and additionalProperties exclude each other')
    for key in node.get('required', []):
        if key not in node.get('properties', {}):
            fault(where, f'required field {key} does not exist')
    if 'pattern' in node:
        try:
            re.compile(node['pattern'])
        except re.error as error:
            fault(where, f'pattern: {error}')
    if 'default' in node:
        check_value(schema, node['default'], f'{where} default')
    if merged.get(LIST_TYPE) == 'map':
        item = schema.items()
        for key in merged.get(LIST_KEYS, []) or [None]:
            child = item.child(key) if key else None
            if not child or child.node.get('type') not in ('string', 'integer', 'boolean'):
                fault(where, f'list map key {key} is not a scalar field of the items')
            elif structural and key not in item.node.get('required', []) and 'default' not in child.node:
                fault(where, f'list map key {key} is neither required nor defaulted')
    for key, child in node.get('properties', {}).items():
        if not child.get('description') and not (structural and where.count('.') == 0 and key == 'metadata'):
            fault(f'{where}.{key}', 'has no description')
        check_schema(child, definitions, f'{where}.{key}', structural)
    for key in ('items', 'additionalProperties'):
        if isinstance(node.get(key), dict):
            check_schema(node[key], definitions, f'{where}[{key}]', structural)
    for key in ('allOf', 'anyOf', 'oneOf'):
        for branch in node.get(key, []):
            if not node.get(INT_OR_STRING) and {'type', 'default', 'description', UNKNOWN} & set(branch):
                fault(where, f'{key} may only validate')


def resolve(schema, path, where):
    """Follows a simple JSONPath through a schema; filters and indexes step into the items."""
    for step in re.findall(r'\.?([\w/\-]+|\\\.)|(\[[^\]]*\])', path.lstrip('.')):
        if step[1]:
            schema = schema.items()
        else:
            schema = schema.child(step[0])
        if schema is None:
            fault(where, f'path {path} does not exist in the schema')
            return
    return


def check_builtin():
    definitions, defined_in = {}, {}
    for path in sorted((HERE / 'builtin').glob('types-*.yaml')):
        for name, node in load(path)[0]['definitions'].items():
            if name in definitions:
                fault(path.name, f'{name} is also in {defined_in[name]}')
            definitions[name], defined_in[name] = node, path.name
    used = set(re.findall(REF + r"([\w.\-]+)", '\n'.join(p.read_text() for p in (HERE / 'builtin').glob('types-*.yaml'))))
    for name, node in definitions.items():
        if not node.get('description'):
            fault(name, 'has no description')
        if name not in used and 'x-kubernetes-group-version-kind' not in node and not name.endswith('version.Info'):
            fault(name, 'is used by nothing')
        check_schema(node, definitions, name.rpartition('.')[2], structural=False)
    path = HERE / 'builtin/resources.yaml'
    table, documented = load(path)[0], set(re.findall(r'^#   ([a-z]+(?:-[a-z]+)*)  +\S', path.read_text().partition('# Cells')[2], re.M))
    cells = set()
    for resource in table['resources']:
        where = f'{resource["group"]}/{resource["plural"]}'
        gvk = {key: resource[key] for key in ('group', 'version', 'kind')}
        node = definitions.get(resource['type'])
        if not node or node.get('x-kubernetes-group-version-kind') != [gvk]:
            fault(where, f'type {resource["type"]} is not the definition of {gvk}')
            continue
        for field in resource['fieldSelectors']:
            resolve(Schema(node, definitions), field, where)
        stored = node if 'stored' not in resource else definitions['io.k8s.api.core.v1.Event']
        for column in resource['columns']:
            if 'cell' in column:
                cells.add(column['cell'])
            elif 'jsonPath' not in column:
                fault(where, f'column {column["name"]} has neither jsonPath nor cell')
            if 'jsonPath' in column:
                resolve(Schema(stored, definitions), column['jsonPath'], where)
    for cell in cells ^ documented:
        fault(path.name, f'cell {cell} is ' + ('not documented' if cell in cells else 'used by no column'))
    return definitions, table['resources'], cells


def check_crds():
    kinds = {}
    for path in sorted((HERE / 'crds').glob('*.yaml')):
        for crd in load(path):
            spec, names = crd['spec'], crd['spec']['names']
            if path.name != f'{spec["group"]}_{names["plural"]}.yaml' or crd['metadata']['name'] != f'{names["plural"]}.{spec["group"]}':
                fault(path.name, 'file, object and spec have different names')
            if sum(version['storage'] for version in spec['versions']) != 1:
                fault(path.name, 'needs exactly one storage version')
            for version in spec['versions']:
                where = f'{names["kind"]}'
                schema = version['schema']['openAPIV3Schema']
                if schema.get('type') != 'object' or not schema.get('description'):
                    fault(where, 'the root must be a described object')
                check_schema(schema, {}, where, structural=True)
                if schema['properties'].get('metadata') != {'type': 'object'}:
                    fault(where, 'metadata must be a bare object')
                for column in version.get('additionalPrinterColumns', []):
                    if not column['jsonPath'].startswith('.metadata'):
                        resolve(Schema(schema, {}), column['jsonPath'], f'{where} column {column["name"]}')
                kinds[(f'{spec["group"]}/{version["name"]}', names['kind'])] = (schema, spec['scope'])
    return kinds


def check_examples(kinds, definitions, resources):
    seen = set()
    builtin = {('/'.join(filter(None, (r['group'], r['version']))), r['kind']): r for r in resources}
    for path in sorted((HERE / 'examples').glob('*.yaml')):
        for example in load(path):
            identity = (example['apiVersion'], example['kind'])
            where = f'{path.name} {example["kind"]}/{example["metadata"]["name"]}'
            if identity in kinds:
                schema, scope = kinds[identity]
                if (scope == 'Namespaced') != ('namespace' in example['metadata']):
                    fault(where, f'namespace does not fit scope {scope}')
                check_value(Schema(schema, {}), example, where)
            elif identity in builtin:
                check_value(Schema(definitions[builtin[identity]['type']], definitions), example, where)
            else:
                fault(where, f'nothing defines {identity}')
            seen.add(identity)
    for identity in kinds.keys() - seen:
        fault('examples', f'none for {identity}')
    return len(seen)


def main():
    definitions, resources, cells = check_builtin()
    kinds = check_crds()
    examples = check_examples(kinds, definitions, resources)
    for line in faults:
        print(line)
    print(f'{len(definitions)} definitions, {len(resources)} built-in resources, {len(cells)} cells, '
          f'{len(kinds)} custom kinds, {examples} kinds with examples: {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
