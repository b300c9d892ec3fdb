/**
 * The words for flags in reports. A JSON pointer is shown as a label: `/filters/groups/1/rollout_percentage` is
 * `condition 2 · rollout_percentage`. docs/commands.md has the table.
 */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { OWN_LABELS, type Labels, type Quote } from '../names/resource-name.ts';
import type { FlagChange } from '../plan.ts';
import { MEMBER_NAMES } from './model/fields.ts';
import { TOLERANCES } from './model/canonical.ts';
import { rolloutOf, viewFilters } from './model/flag.ts';

export const FLAG_LABELS: Labels<FlagChange> = {
  ...OWN_LABELS,
  noun: 'flag',
  plural: 'flags',
  qualifier: '',
  deletionHint: 'To delete such a flag, declare it under flags as KEY: { deleted: true }',
  field: labelFlagField,
  unit: (pointer) => (pointer.endsWith('/rollout_percentage') ? '%' : ''),
  absent: (pointer) => USUAL.get(pointer),
  identity: (change) => (change.action === 'create' ? [] : [`id ${change.id}`]),
  drift: ({ action }) => DRIFT[action],
  consequences: listConsequences,
  lastEdit: (change) => (change.action === 'create' ? undefined : change.base.edited),
};

/** The values that stand for an absent field, since services without it behave so; an empty string or list is shown as no value. */
const USUAL: ReadonlyMap<string, JsonValue> = new Map(
  TOLERANCES.flatMap(({ path, treat }) => {
    const [usual = null] = treat.kind === 'absent' ? treat.when : [];
    const isShown = typeof usual === 'boolean' || (typeof usual === 'string' && usual !== '');
    return isShown ? [[path, usual] as const] : [];
  }),
);

const DRIFT: Readonly<Record<FlagChange['action'], string>> = {
  create: ' is declared but does not exist in the project',
  update: '',
  restore: ' is declared but soft-deleted',
  delete: ' is declared as deleted but exists',
};

/** The first segments of a pointer and their label. `#` matches a list index, which the label counts from 1; `*` matches any segment. */
const PREFIXES: readonly { readonly segments: readonly string[]; readonly words: string }[] = [
  { segments: ['filters', 'groups', '#'], words: 'condition' },
  { segments: ['filters', 'groups'], words: 'conditions' },
  { segments: ['filters', 'multivariate', 'variants', '#'], words: 'variant' },
  { segments: ['filters', 'multivariate', 'variants'], words: 'variants' },
  { segments: ['filters', 'payloads', '*'], words: 'payload' },
  { segments: ['filters', 'payloads'], words: 'payloads' },
  ...[...MEMBER_NAMES]
    .filter(([api, member]) => api !== member)
    .map(([api, member]) => ({ segments: [api], words: member })),
];

function labelFlagField(pointer: string): string {
  if (pointer === '') return 'flag';
  const segments = fromPointer(pointer);
  const isIndex = (text: string | undefined): boolean => text !== undefined && /^\d+$/.test(text);
  const prefix = PREFIXES.find((one) =>
    one.segments.every((part, at) => {
      const segment = segments[at];
      return part === '#' ? isIndex(segment) : segment !== undefined && (part === '*' || part === segment);
    }),
  );
  if (prefix === undefined) return segments.join('.');
  const own = prefix.segments.at(-1);
  const named = segments[prefix.segments.length - 1] ?? '';
  const entry = own === '#' ? ` ${Number(named) + 1}` : own === '*' ? ` ${named}` : '';
  const rest = segments.slice(prefix.segments.length);
  const [list, index, ...deeper] = rest;
  const isProperty = list === 'properties' && isIndex(index);
  const parts = isProperty ? [`property ${Number(index) + 1}`, deeper.join('.')] : [rest.join('.')];
  return [prefix.words + entry, ...parts.filter((part) => part !== '')].join(' · ');
}

/** Sentences, the weightiest first; empty for changes whose fields say everything. */
export function listConsequences(change: FlagChange, quote: Quote): readonly string[] {
  if (change.action === 'delete') {
    const { key } = change.base.flag;
    const asked = typeof key === 'string' ? key : change.key;
    return [describeFlag(change.base.flag), `Code that reads ${quote(asked)} no longer gets a value.`];
  }
  const former = change.action === 'update' ? change.base.flag['key'] : undefined;
  if (typeof former !== 'string' || former === change.key) return [];
  return [
    `Code that reads ${quote(former)} no longer gets a value, and users are reassigned: the hash includes the key.`,
  ];
}

/** Returns for example `It is active, with 2 conditions (up to 50% of users) and 3 variants.` */
function describeFlag(flag: JsonObject): string {
  const { conditions, variants } = viewFilters(flag['filters']);
  const most = Math.max(...conditions.map(({ part }) => rolloutOf(part) ?? 100));
  const given =
    conditions.length === 0 ? 'no condition' : `${count(conditions.length, 'condition')} (up to ${most}% of users)`;
  const parts = [given, ...(variants.length === 0 ? [] : [count(variants.length, 'variant')])];
  return `It is ${flag['active'] === false ? 'disabled' : 'active'}, with ${parts.join(' and ')}.`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
