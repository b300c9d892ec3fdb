/** The table of classes in docs/effects.md says what the code promises. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EFFECT_CLASSES, joinReaches } from '../../src/review/effects/effect.ts';

it('has a row for each class, in order of risk, with what may happen to people', () => {
  const rows = readFileSync('docs/effects.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| `[\w-]+` /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const documented = rows.map(([, name = '', , may]) => [name.replaceAll('`', ''), may]);
  expect(documented).toEqual(
    EFFECT_CLASSES.map((name) => {
      const { turnsOn, turnsOff, changesVariant } = joinReaches([name]);
      const may = { on: turnsOn, off: turnsOff, variant: changesVariant };
      const names = Object.entries(may).flatMap(([happens, is]) => (is ? [happens] : []));
      return [name, names.join(', ') || 'nothing'];
    }),
  );
});
