// Compiles the JSON Schemas to validators, so that no run loads ajv for them: of each schema what decides, without what only readers need.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'src/base/generated');

/** For each module the names of its validators to their schemas, or to a part of one; what only some runs need is in a module of its own. */
const modules = {
  // What nearly every file is asked: whether it has errors. Which ones it has is another module's matter, which most runs do not load.
  'guards.ts': {
    isManifest: 'schemas/manifest.schema.json',
    isConfig: 'schemas/config.schema.json',
  },
  'validators.ts': {
    validateManifest: 'schemas/manifest.schema.json',
    validateConfig: 'schemas/config.schema.json',
  },
  'exception-validators.ts': { validateExceptions: 'schemas/exceptions.schema.json' },
  'verdict-validators.ts': { validateVerdicts: 'schemas/verdicts.schema.json' },
  'reference-validators.ts': { validateReferences: 'schemas/references.schema.json' },
  'expectation-validators.ts': { validateExpectations: 'schemas/expectations.schema.json' },
  'plan-validators.ts': { validatePlan: 'schemas/plan.schema.json' },
  'snapshot-validators.ts': { validateSnapshot: 'schemas/snapshot.schema.json' },
  'fault-validators.ts': { validateFaults: 'schemas/faults.schema.json' },
  // A seed is checked against the form that it has, so that complaints are about what was meant.
  'seed-validators.ts': {
    validateSeedDocument: 'schemas/seed.schema.json#/$defs/document',
    validateSeedListing: 'schemas/seed.schema.json#/$defs/listing',
    validateSeedFlags: 'schemas/seed.schema.json#/$defs/flags',
  },
};

/** Of these it is only asked whether they are valid; of a snapshot, also where it is not. */
const silent = new Set(['guards.ts', 'plan-validators.ts', 'reference-validators.ts']);
const first = new Set([...silent, 'snapshot-validators.ts']);

/** Schemas with rules for editors beside the shapes. */
const withRules = new Set(['schemas/manifest.schema.json']);

export function compileSchemas() {
  mkdirSync(folder, { recursive: true });
  for (const [module, schemas] of Object.entries(modules)) {
    writeFileSync(join(folder, module), compile(module, schemas));
  }
}

function compile(module, schemas) {
  const ajv = new Ajv2020({
    allErrors: !first.has(module),
    // An error brings the value and the schema that it is about: what a good message is made of.
    verbose: !first.has(module),
    messages: false,
    allowUnionTypes: true,
    inlineRefs: false,
    logger: false,
    code: { source: true, esm: true },
  });
  // For keywords that no schema has.
  ajv.opts.unevaluated = false;
  const ids = Object.entries(schemas).map(([name, place]) => {
    const [file, pointer = '/$defs/whole'] = place.split('#');
    const schema = shapeOf(file);
    if (ajv.getSchema(schema.$id) === undefined) ajv.addSchema(schema);
    return [name, `${schema.$id}#${pointer}`];
  });
  const whole = standaloneCode.default(ajv, Object.fromEntries(ids));
  const code = (silent.has(module) ? withoutErrors(whole) : whole)
    .replace('"use strict";', '')
    // The exports get a type, because declarations are made without looking into the functions.
    .replaceAll(/export const (\w+) = (\w+);/g, 'export const $1: Validator = $2;')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'charactersOf');
  if (code.includes('require(')) throw new Error('A schema uses a keyword whose validator needs ajv at run time.');
  return [
    '// @ts-nocheck\n// Generated from schemas/ by scripts/compile-schemas.mjs.\n\n',
    `import { ${code.includes('charactersOf') ? 'charactersOf, ' : ''}type Validator } from '../shape/check.ts';\n\n${code}\n`,
  ].join('');
}

/** The code of a validator that makes no errors, which are two thirds of it. */
function withoutErrors(code) {
  const silenced = code
    .replaceAll(/, \{instancePath="".*?\}=\{\}\)/g, ')')
    .replaceAll(/, \{instancePath.*?,dynamicAnchors\}\)/g, ')')
    .replaceAll(/validate\d+\.errors = [^;]*;/g, '')
    .replaceAll(/vErrors = vErrors === null \? [\w.]+\.errors : [^;]*;errors = vErrors\.length;/g, 'errors++;')
    .replaceAll(/const (err\d+) = [^;]*;if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}/g, '')
    .replaceAll(/if\(vErrors !== null\)\{if\((_errs\d+)\)\{vErrors\.length = \1;\}else \{vErrors = null;\}\}/g, '')
    .replaceAll('let vErrors = null;', '');
  const left = /.{0,99}(?:vErrors|schemaPath|instancePath).{0,99}/.exec(silenced);
  if (left !== null) throw new Error(`The code that ajv makes has changed: ${left[0]}`);
  return silenced;
}

/** What decides, as definitions alone: the code would have those within a root twice. */
function shapeOf(file) {
  const written = JSON.parse(readFileSync(join(root, file), 'utf8'));
  const { $id, $schema, $defs, ...whole } = forMachines(withRules.has(file) ? withoutRules(written) : written);
  return { $id, $schema, $defs: { ...$defs, whole } };
}

/** A list is the example of a message; other examples, and all words, are for people. */
function forMachines(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !WORDS.has(keyword) && !(keyword === 'examples' && !Array.isArray(value[0])),
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, partsForMachines(keyword, value)]));
}

const WORDS = new Set(['title', 'description', 'default', '$comment']);
const MAPS = new Set(['properties', 'patternProperties', '$defs']);
const VALUES = new Set(['enum', 'const', 'examples', 'required', 'type']);

function partsForMachines(keyword, value) {
  if (VALUES.has(keyword)) return value;
  if (Array.isArray(value)) return value.map(forMachines);
  if (!MAPS.has(keyword)) return forMachines(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, forMachines(part)]));
}

/**
 * The schema of shapes alone. Under `allOf`, the manifest schema has rules for editors; the command checks them itself, with
 * better messages. A definition that only they use goes with them.
 */
export function withoutRules(schema) {
  const shape = JSON.parse(JSON.stringify(schema), (key, value) => (key === 'allOf' ? undefined : value));
  const named = (part) => [...JSON.stringify(part).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
  const { $defs = {}, ...top } = shape;
  const used = new Set(named(top));
  for (const name of used) for (const next of named($defs[name])) used.add(next);
  const kept = Object.entries($defs).filter(([name]) => used.has(name));
  return kept.length === 0 ? shape : { ...shape, $defs: Object.fromEntries(kept) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compileSchemas();
