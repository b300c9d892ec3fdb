// Measures the built command as a whole process, relative to a reference on the same machine where a row has one.
// Every process starts with PATH and HOME alone, on the Node that runs this. Prints a table, and writes bench/results/latest.json. `node bench/run.mjs plan` runs the rows whose name contains `plan`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, root } from './measure.mjs';
import { rows } from './rows.mjs';

const only = process.argv[2] ?? '';
const results = [];

for (const row of rows.filter(({ name }) => name.includes(only))) {
  process.stderr.write(`${row.name} …\n`);
  const figures = await row.measure();
  for (const { figure, values, unit, reach } of figures) {
    const value = median(values);
    results.push({
      name: row.name,
      figure,
      value,
      unit,
      reach,
      reached: value <= (reach.atMost ?? Infinity) && value >= (reach.atLeast ?? -Infinity),
      values,
    });
  }
}

const shown = results.map(({ name, figure, value, unit, reach, reached }) => ({
  what: name,
  figure,
  median: `${round(value)} ${unit}`.trim(),
  reach: reachText(reach, unit),
  reached: reached ? 'yes' : 'NO',
}));
console.log(`Node ${process.version}`);
console.table(shown);
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(
  join(root, 'bench/results/latest.json'),
  `${JSON.stringify({ node: process.version, results }, null, 2)}\n`,
);

function reachText({ atMost, atLeast }, unit) {
  if (atLeast === undefined && atMost === undefined) return '';
  if (atLeast === atMost) return `exactly ${atMost}`;
  return atLeast === undefined ? `<= ${atMost} ${unit}`.trim() : `>= ${atLeast} ${unit}`.trim();
}

function round(value) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3));
}
