/** Recognises names that other tools use, and members that are in the wrong part of a flag. */

/** The parts of a flag's filters that have members. */
export type FiltersPart = 'filters' | 'multivariate' | 'condition' | 'property' | 'variant';

export interface Meant {
  readonly suggestion?: string;
  /** The part that has the member, if it is another one. */
  readonly owner?: FiltersPart | 'flag';
}

/** `undefined` if the name is not recognised. */
export function findMeant(name: string, part: FiltersPart | 'flag'): Meant | undefined {
  const members = MEANT[part];
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

const ROLLOUT = ['rollout', 'rollout_percent', 'percent', 'percentage', 'pct', 'weight', 'share', 'traffic'];
const SWITCH = ['active', 'enabled', 'disabled', 'on', 'off'];

const OF_VARIANTS = { suggestion: 'multivariate.variants', owner: 'filters' } as const;
const OF_PAYLOADS = { suggestion: 'payloads', owner: 'filters' } as const;
const OF_CONDITION = (suggestion: string): Meant => ({ suggestion, owner: 'condition' });
const SWITCHES = named(SWITCH, { suggestion: 'active', owner: 'flag' });

const MEANT: { readonly [part in FiltersPart | 'flag']: Readonly<Record<string, Meant>> } = {
  flag: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...named(SWITCH, { suggestion: 'active' }),
    ...named(['groups', 'conditions'], { suggestion: 'groups', owner: 'filters' }),
    properties: OF_CONDITION('properties'),
    multivariate: { suggestion: 'multivariate', owner: 'filters' },
    variants: OF_VARIANTS,
    payloads: OF_PAYLOADS,
    name: { suggestion: 'description' },
  },
  filters: {
    ...named([...ROLLOUT, 'rollout_percentage'], OF_CONDITION('rollout_percentage')),
    ...SWITCHES,
    conditions: { suggestion: 'groups' },
    properties: OF_CONDITION('properties'),
    variants: { suggestion: 'multivariate.variants' },
    variant: OF_CONDITION('variant'),
  },
  multivariate: {
    ...named([...ROLLOUT, 'rollout_percentage'], { suggestion: 'rollout_percentage', owner: 'variant' }),
    ...SWITCHES,
    payloads: OF_PAYLOADS,
  },
  condition: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...SWITCHES,
    variants: OF_VARIANTS,
    multivariate: { suggestion: 'multivariate', owner: 'filters' },
    ...named(['payload', 'payloads'], OF_PAYLOADS),
    ...named(['key', 'operator', 'value'], { suggestion: 'properties' }),
  },
  property: {
    ...named([...ROLLOUT, 'rollout_percentage'], OF_CONDITION('rollout_percentage')),
    ...SWITCHES,
    ...named(['name', 'property'], { suggestion: 'key' }),
    op: { suggestion: 'operator' },
    variant: OF_CONDITION('variant'),
    variants: OF_VARIANTS,
  },
  variant: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...SWITCHES,
    ...named(['variant', 'value'], { suggestion: 'key' }),
    ...named(['payload', 'payloads'], OF_PAYLOADS),
    properties: OF_CONDITION('properties'),
  },
};

function named(names: readonly string[], meant: Meant): Record<string, Meant> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}
