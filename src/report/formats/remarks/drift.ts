/** The remarks of a drift report: a value that differs live, at the line that declares it, and the warnings about the live state. */

import { defined } from '../../../base/optional.ts';
import { groupDrift } from '../../../posthog/drift-groups.ts';
import type { Change, FieldChange } from '../../../posthog/plan.ts';
import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { driftedFields, type ShownField } from '../../shown-fields.ts';
import { warnedByDrift } from '../text/drift.ts';
import { isPending } from '../../words/three-way.ts';
import { labelsOf } from '../../words/kinds.ts';
import { inlineValue } from '../../words/value.ts';
import { approvalRemarks } from './plan.ts';
import type { Remark } from './remark.ts';
import { warningRemarks } from './warnings.ts';

export function driftRemarks({ plan, groups, requests }: ReportOf<'drift'>): Remark[] {
  const { drifted, pending } = groups ?? groupDrift(plan);
  return [
    ...drifted.flatMap(changeRemarks),
    ...pending.flatMap(changeRemarks),
    ...warningRemarks(warnedByDrift(plan)),
    ...approvalRemarks(plan.changes, requests),
  ];
}

function changeRemarks(change: Change): Remark[] {
  if (change.action !== 'update') return [wholeRemark(change)];
  return driftedFields(change).map((field) => fieldRemark(field, change));
}

function wholeRemark(change: Change): Remark {
  const { action, key, source } = change;
  const pending = isPending(change);
  return {
    family: 'drift',
    rule: action,
    level: pending ? 'note' : 'warning',
    text: `${quoteShort(key)}${labelsOf(change).drift(change, quoteShort)}${pending ? NOT_APPLIED : ''}.`,
    name: key,
    ...defined({ place: source }),
  };
}

const NOT_APPLIED = ' (not applied yet)';

/** `field`: from the declared value to the live one. */
function fieldRemark(field: ShownField, change: Change): Remark {
  const { key, source } = change;
  const labels = labelsOf(change);
  const { path, divergence, label = labels.field(path) } = field;
  const shown = (value: FieldChange['before']): string => {
    const held = value ?? labels.absent(path);
    return held === undefined
      ? '(none)'
      : quoteShort(`${inlineValue(held)}${typeof held === 'number' ? labels.unit(path) : ''}`);
  };
  const values = field.text ?? `declared ${shown(field.before)}, live ${shown(field.after)}`;
  return {
    family: 'drift',
    rule: 'update',
    level: divergence === 'pending' ? 'note' : 'warning',
    text: `${quoteShort(key)}${labels.qualifier}: ${quoteShort(label)}: ${values}${divergence === 'pending' ? NOT_APPLIED : ''}.`,
    name: key,
    ...defined({ place: field.source ?? source }),
  };
}
