/** Values that others decide and that are not as declared, as text: how many, or with `--verbose` each of them. */

import { defined } from '../../../base/optional.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { View } from '../../view.ts';
import { labelsOf } from '../../words/kinds.ts';
import { observedText, ownershipText } from '../../words/observed.ts';
import { fieldLines } from './fields.ts';

const INDENT = '    ';

/** Each value with its key, for formats that list them one by one. */
export function observedEntries({ observed = [] }: Pick<Plan, 'observed'>, view: View): (readonly string[])[] {
  return observed.map((one) => {
    const [first = '', ...rest] = valueLines([one], view).map((line) => line.slice(INDENT.length));
    return [`${escapeLine(one.key)}  ${first}`, ...rest];
  });
}

export function observedLines({ observed = [] }: Pick<Plan, 'observed'>, view: View): string[] {
  if (observed.length === 0) return [];
  const text = observedText(observed);
  if (!view.verbose) return [view.palette.dim(`${text}; --verbose lists ${observed.length === 1 ? 'it' : 'them'}`)];
  const keys = [...new Set(observed.map(({ key }) => key))];
  return [
    `${text}, as declared → live:`,
    ...keys.flatMap((key) => [
      `  ${escapeLine(key)}`,
      ...valueLines(
        observed.filter((one) => one.key === key),
        view,
      ),
    ]),
  ];
}

function valueLines(observed: NonNullable<Plan['observed']>, view: View): string[] {
  return observed.flatMap((one) => {
    const field = { path: one.path, ...defined({ before: one.declared, after: one.live, source: one.source }) };
    const [first = '', ...rest] = fieldLines([field], {
      ...view,
      labels: labelsOf({ resource: 'flag' }),
      places: true,
    });
    return [`${first}  ${view.palette.dim(ownershipText(one))}`, ...rest].map((line) => INDENT + line);
  });
}
