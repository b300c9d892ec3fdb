/** The remarks of a drift report: a value that differs live, at the line that declares it, and the warnings about the live state. */

import { groupDrift } from '../../../posthog/drift-groups.ts';
import type { Change, FieldChange } from '../../../posthog/plan.ts';
import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { driftedFields, type ShownField } from '../../shown-fields.ts';
import { isPending, standingOfDrift, type StandingFacts } from '../../standing.ts';
import { warnedByDrift } from '../../words/base.ts';
import { labelsOf } from '../../words/kinds.ts';
import { inlineValue } from '../../words/values.ts';
import type { Remark } from './remark.ts';
import { warningRemarks } from './rules.ts';
import { approvalRemarks } from './plan.ts';
import { defined } from '../../../base/optional.ts';

export function driftRemarks({ plan, groups, counting = {}, requests }: ReportOf<'drift'>): Remark[] {
  const { drifted, pending } = groups ?? groupDrift(plan);
  const { leftOut, unmanaged } = standingOfDrift(plan, counting);
  const out = new Set(leftOut.map(({ key }) => key));
  const counted = (remark: Remark): Remark =>
    remark.name !== undefined && out.has(remark.name) ? { ...remark, counts: true } : remark;
  return [
    ...[...drifted, ...pending].flatMap((change) => changeRemarks(change, counting)),
    ...unmanaged.map(unmanagedRemark),
    ...warningRemarks(warnedByDrift(plan)).map(counted),
    ...approvalRemarks(plan.changes, requests),
  ];
}

function unmanagedRemark(key: string): Remark {
  return {
    family: 'drift',
    rule: 'unmanaged',
    level: 'warning',
    text: `${quoteShort(key)} is live and in no manifest.`,
    name: key,
  };
}

function changeRemarks(change: Change, counting: StandingFacts): Remark[] {
  const remarks =
    change.action === 'update'
      ? driftedFields(change).map((field) => fieldRemark(field, change))
      : [wholeRemark(change)];
  return counting.pending === true ? remarks.map((remark) => ({ ...remark, level: 'warning' })) : remarks;
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
    subject: `${quoteShort(key)}${labels.qualifier}: ${quoteShort(label)}`,
    ...defined({ place: field.source ?? source }),
  };
}
