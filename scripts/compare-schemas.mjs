// Tells whether two folders of published schemas mean the same:
//
//     node scripts/compare-schemas.mjs node_modules/flagwright/schemas schemas
//
// The order of members, and of the names under `required` and `type`, means nothing; that under `enum` shows in messages. Ends with 1 where a schema differs, and names each place.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The places that differ, as `FILE POINTER`. */
export function compareSchemas(before, after) {
  const names = new Set([...schemasIn(before), ...schemasIn(after)]);
  return [...names]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .flatMap((name) => {
      const pointers = differences(readSchema(before, name), readSchema(after, name), '');
      return pointers.map((pointer) => `${name} ${pointer}`);
    });
}

function schemasIn(folder) {
  return readdirSync(folder).filter((name) => name.endsWith('.schema.json'));
}

function readSchema(folder, name) {
  return schemasIn(folder).includes(name) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : undefined;
}

function differences(before, after, pointer) {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return before === after ? [] : [pointer];
  }
  const [one, other] = SETS.test(pointer) ? [ordered(before), ordered(after)] : [before, after];
  const members = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...members].flatMap((member) => differences(one[member], other[member], `${pointer}/${member}`));
}

const SETS = /\/(required|type)$/;

function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

/** A list of values is a set; a member of that name in a map of schemas is no list. */
function ordered(value) {
  return Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted((a, b) => (a < b ? -1 : 1)) : value;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [before = 'node_modules/flagwright/schemas', after = 'schemas'] = process.argv.slice(2);
  const found = compareSchemas(before, after);
  for (const place of found) console.log(place);
  process.exitCode = found.length === 0 ? 0 : 1;
}
