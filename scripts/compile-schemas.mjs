// Makes validators of the JSON Schemas: of each schema what decides, without what only readers need, as text that is parsed on first use.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Of a plan, a snapshot or references it is only asked whether it is one. */
const first = new Set(['plan-validators.ts', 'snapshot-validators.ts', 'reference-validators.ts']);

/** Schemas with rules for editors beside the shapes. */
const withRules = new Set(['schemas/manifest.schema.json']);

export function compileSchemas() {
  mkdirSync(folder, { recursive: true });
  for (const [module, schemas] of Object.entries(modules)) {
    writeFileSync(join(folder, module), compile(schemas, first.has(module)));
  }
}

function compile(schemas, firstOnly) {
  const files = [...new Set(Object.values(schemas).map((place) => place.split('#')[0]))];
  const texts = files.map((file, index) => `const readSchema${index} = () => JSON.parse(${literal(shapeOf(file))});\n`);
  const validators = Object.entries(schemas).map(([name, place]) => {
    const [file, pointer] = place.split('#');
    const options = JSON.stringify({ ...(pointer && { pointer }), ...(firstOnly && { first: true }) });
    return `export const ${name}: Validator = createValidator(readSchema${files.indexOf(file)}, ${options});\n`;
  });
  return [
    '// @ts-nocheck\n// Generated from schemas/ by scripts/compile-schemas.mjs.\n\n',
    "import type { Validator } from '../shape/check.ts';\nimport { createValidator } from '../shape/validator.ts';\n\n",
    ...texts,
    ...validators,
  ].join('');
}

function shapeOf(file) {
  const written = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return JSON.stringify(forMachines(withRules.has(file) ? withoutRules(written) : written));
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

/** A string literal with few escapes. */
function literal(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
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
