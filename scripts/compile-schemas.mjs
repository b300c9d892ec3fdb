// Compiles the JSON Schemas to validators, so that no run loads the schema compiler.

import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'src/base/generated');

/** For each module the names of its validators to their schemas, or to a part of one; what only some runs need is in a module of its own. */
const modules = {
  'validators.ts': {
    validateManifest: 'schemas/manifest.schema.json',
    validateConfig: 'schemas/config.schema.json',
  },
  'permit-validators.ts': { validatePermits: 'schemas/permits.schema.json' },
  'waiver-validators.ts': { validateWaivers: 'schemas/waivers.schema.json' },
  'baseline-validators.ts': { validateBaseline: 'schemas/baseline.schema.json' },
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

/** Of a plan or a snapshot it is only asked whether it is one, so its validator says no more. */
const terse = new Set(['plan-validators.ts', 'snapshot-validators.ts']);

/** Schemas with rules for editors beside the shapes. */
const withRules = new Set(['schemas/manifest.schema.json']);

export function compileSchemas() {
  mkdirSync(folder, { recursive: true });
  for (const [module, schemas] of Object.entries(modules)) {
    writeFileSync(join(folder, module), compile(schemas, !terse.has(module)));
  }
}

function compile(schemas, wordy) {
  const ajv = new Ajv2020({
    allErrors: wordy,
    allowUnionTypes: true,
    // An error brings the value and the schema that it is about: what a good message is made of.
    verbose: wordy,
    // Lengths are counted in UTF-16 units: the exact count would need a helper of ajv at run time.
    unicode: false,
    logger: false,
    code: { source: true, esm: true, lines: true },
  });
  const ids = {};
  for (const [name, place] of Object.entries(schemas)) {
    const [file, part] = place.split('#');
    const written = JSON.parse(readFileSync(join(root, file), 'utf8'));
    const schema = withRules.has(file) ? withoutRules(written) : written;
    if (ajv.getSchema(schema.$id) === undefined) ajv.addSchema(schema);
    ids[name] = part === undefined ? schema.$id : `${schema.$id}#${part}`;
  }
  const code = standaloneCode.default(ajv, ids);
  if (code.includes('require(')) throw new Error('A schema uses a keyword whose validator needs ajv at run time.');
  return `// @ts-nocheck\n// Generated from schemas/ by scripts/compile-schemas.mjs.\n\n${typed(code)}`;
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

// The exports get a type, because declarations are made without looking into the functions.
function typed(code) {
  const header = "import type { Validator } from '../shape.ts';\n";
  const exports = /^export const (\w+) = (\w+);/gm;
  return header + code.replace('"use strict";\n', '').replace(exports, 'export const $1: Validator = $2;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compileSchemas();
